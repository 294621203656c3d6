@portable
Feature: Compression
  A compaction is worth its price when it takes away most of what the window held. How much it
  removed is reported as a share, and where that is too little, so is the advice to begin a new
  conversation rather than to compact the same one again and again.

  @SUM_12
  Rule: Compression is the share of tokens that a compaction removed, and below 60% it warns
    Source: the compaction feature of fspec (CLI-009), whose warning this is, word for word; the
    TypeScript original leaves the figure in brackets out. That compression is never below nothing,
    that an empty conversation gives no warning, and that the figure is exact and rounded half up,
    is brim's.

    Scenario Outline: Below 60% the warning states the share
      When a compaction of <before> tokens leaves <after>
      Then the ratio is "<ratio>"
      And the warning is "<warning>"

      Examples:
        | description                   | before  | after   | ratio   | warning                                                                    |
        | one token too many            | 100,000 | 40,001  | 0.59999 | Compression ratio below 60% (60.0%) - consider starting fresh conversation |
        | half of a tenth is rounded up | 10,000  | 4,515   | 0.5485  | Compression ratio below 60% (54.9%) - consider starting fresh conversation |
        | it grew                       | 80,000  | 120,000 | 0       | Compression ratio below 60% (0.0%) - consider starting fresh conversation  |
        | exactly 60%                   | 100,000 | 40,000  | 0.6     |                                                                            |
        | all of it                     | 1,000   | 0       | 1       |                                                                            |
        | nothing before or after       | 0       | 0       | 0       |                                                                            |

    Scenario Outline: A negative count of tokens is invalid input
      When a compaction of <before> tokens leaves <after>
      Then it is not understood

      Examples:
        | description | before | after |
        | before      | -1     | 0     |

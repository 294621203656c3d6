Feature: Store of a proxy
  The proxy keeps what a compaction made: the summary, and the number and a digest of the messages that it stands for. A
  proxy that starts again goes on from there.

  @SRV_04
  Rule: The next request of a conversation that was compacted goes on from its compaction, also after a new start
    Source: a decision of this project (0224): a second summary is paid, and thinking that is bound to the first one is
    refused.

    Scenario Outline: The proxy is ended after the first compaction and started again
      When an agent works through the proxy
        | API   | turns   | starts again  | store   |
        | <API> | <turns> | after <again> | <store> |
      Then the result is
        | errors | summaries   | begins as before |
        | 0      | <summaries> | <as before>      |

      Examples:
        | description             | API       | turns | again | store              | summaries | as before |
        | kept                    | Messages  | 14    | 12    |                    | 1         | yes       |
        | kept, of chat           | chat      | 9     | 8     |                    | 1         | yes       |
        | it cannot be read       | Messages  | 14    | 12    | damaged            | 2         | no        |
        | of another installation | Messages  | 14    | 12    | another key's      | 2         | no        |

  @SRV_05
  Rule: After a fault of the proxy the last compaction holds, and before the first one each request passes unchanged
    Source: a decision of this project (0224).

    Scenario Outline: From a turn on every plan fails
      When an agent works through the proxy
        | API      | turns | plans fail |
        | Messages | 16    | <fail>     |
      Then the result is
        | errors   | summaries   | begins as before |
        | <errors> | <summaries> | <as before>      |

      Examples:
        | description          | fail     | errors | summaries | as before |
        | before a compaction  | after 2  | 1      | 0         | yes       |
        | after a compaction   | after 12 | 0      | 1         | yes       |

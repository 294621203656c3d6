Feature: Restoring files
  The files of a project go back to a checkpoint. Nothing is destroyed that no checkpoint holds, and a restore that cannot
  be finished changes nothing.

  @CHK_05
  Rule: Restoring makes the tree what the checkpoint recorded
    Source: S2, section 4, whose restore neither removes a file that was added since nor spares one in the way. Decision
    0230.

    Scenario Outline: A file that the checkpoint holds comes back
      Given the history of a project
        | file     | folder/inner | link           | checkpoint |
        | at first | at first     | a link to file | start      |
        | <file>   | <inner>      | <link>         |            |
      When brim restores files of "start"
      Then the project is as at "start"

      Examples:
        | description                 | file                 | inner | link             |
        | changed                     | later                |       |                  |
        | changed to the same length  | at f1rst             |       |                  |
        | deleted                     | gone                 | gone  |                  |
        | made executable             | at first (0755)      |       |                  |
        | made read-only and changed  | later (0444)         |       |                  |
        | replaced by a link          | a link to folder     |       |                  |
        | a link replaced by a file   |                      |       | at first         |
        | a link that leads elsewhere |                      |       | a link to folder |
        | replaced by an empty folder | a folder             |       |                  |
        | nothing                     |                      |       |                  |

    Scenario Outline: A file that the checkpoint does not hold is removed where another checkpoint recorded it
      Given the history of a project
        | notes    | checkpoint   |
        | at first | start        |
      And the history of a project
        | plan  | checkpoint | by   |
        | added | <later>    | <by> |
        | <now> |            |      |
      When brim restores <first> of "start" and restores files of "start"
      Then the project holds
        | plan    |
        | <state> |

      Examples:
        | description                    | later | by              | now   | first            | state |
        | a later checkpoint recorded it | later |                 |       | the conversation | gone  |
        | and it was changed since       | later |                 | again | the conversation | gone  |
        | no checkpoint recorded it      |       |                 |       | the conversation | added |
        | only a safety checkpoint did   |       |                 |       | files            | added |
        | only another session's did     | their | another session |       | the conversation | added |

    Scenario Outline: A file and a folder change places, and an empty folder goes
      Given the history of a project
        | <first>  | <second> | checkpoint |
        | at first |          | start      |
        | gone     | at first | later      |
      When brim restores files of "start"
      Then the project is as at "start"
      And the project holds
        | <folder> |
        | gone     |

      Examples:
        | description         | first      | second             | folder        |
        | a folder for a file | place      | place/file         | place/file    |
        | a file for a folder | place/file | place              | place/other   |
        | deeper folders      | a/b/c      | a                  | a/b/d         |
        | an added folder     | notes      | folder/deeper/plan | folder        |

    Scenario: What the checkpoint names as left out stays
      Given the history of a project
        | notes    | video           | checkpoint |
        | at first | 3,000,000 bytes | start      |
        |          | later           | later      |
      When brim restores files of "start"
      Then the project holds
        | video |
        | later |

    Scenario Outline: Where what no checkpoint holds is in the way, nothing changes
      Given the history of a project
        | notes    | folder/plan | checkpoint |
        | at first | at first    | start      |
      And the history of a project
        | folder/ | .gitignore | checkpoint | <path>  | notes |
        | gone    | <ignored>  | without    |         |       |
        |         |            |            | <there> | later |
      When brim restores files of "start"
      Then it is refused with "<refusal>"
      And the project holds
        | notes | folder/plan |
        | later | <plan>      |

      Examples:
        | description                         | ignored | path                | there           | refusal                                        | plan   |
        | an ignored file                     | folder* | folder/plan         | secret          | 'folder/plan': no checkpoint holds it…         | secret |
        | an ignored file in its folder       | folder* | folder/plan/ignored | secret          | 'folder/plan/ignored': no checkpoint holds it… | there  |
        | a file of more than 2,097,152 bytes | nothing | folder/plan         | 3,000,000 bytes | 'folder/plan': no checkpoint holds it…         | there  |
        | an ignored file above it            | folder* | folder              | secret          | 'folder': no checkpoint holds it…              | gone   |
        | an ignored link above it            | folder* | folder              | a link to ..    | 'folder': no checkpoint holds it…              | gone   |
        | a repository above it               | nothing | folder              | a repository    | 'folder': no checkpoint holds it…              | gone   |

    Scenario: A link in the place of a folder leads no file out of the project
      Given the history of a project
        | folder/plan | ../outside/plan | folder            | checkpoint |
        | at first    | outside         |                   | start      |
        |             |                 | a link to ../outside | later   |
      When brim restores files of "start"
      Then the project is as at "start"
      And the project holds
        | ../outside/plan |
        | outside         |

    Scenario Outline: What a restore does not touch is named
      Given the history of a project
        | notes    | folder/plan | checkpoint |
        | at first | at first    | start      |
        | later    |             |            |
      And the history of a project
        | <name>  |
        | <there> |
      When brim restores <what> of "start"
      Then the result is
        | stayed  |
        | <named> |

      Examples:
        | description                     | name  | there           | what    | named  |
        | nothing else is there           | notes | again           | files   |        |
        | a file that no checkpoint holds | new   | added           | files   | new    |
        | a large one                     | video | 2,097,153 bytes | files   | video  |
        | a repository                    | inner | a repository    | files   | inner/ |
        | where single files come back    | new   | added           | "notes" |        |

  @CHK_07
  Rule: Single files are restored from the checkpoint that is named; of a range of checkpoints, each file from the oldest that has it
    Source: S2, section 4, which reverts a list of patches and takes each file from the first that has it.

    Background:
      Given the history of a project
        | notes    | folder/plan | checkpoint |
        | at first | at first    | start      |
        | later    |             | middle     |
        |          | later       | end        |

    Scenario Outline: Only the files that are named, or that changed in a range, come back
      When brim restores <what>
      Then the project holds
        | notes   | folder/plan |
        | <notes> | <plan>      |

      Examples:
        | description | what | notes | plan |
        | a file | "notes" of "start" | at first | later |
        | a folder | "folder" of "start" | later | at first |
        | in a folder | "folder/plan" of "start" | later | at first |
        | spelled longer | "./folder/" of "start" | later | at first |
        | the first turn | files of "start" until "middle" | at first | later |
        | the second turn | files of "middle" until "end" | later | at first |
        | both | files of "start" until "end" | at first | at first |
        | none | files of "end" until "end" | later | later |

    Scenario Outline: What neither the checkpoint nor the project holds is refused
      When brim restores "<path>" of "start"
      Then it is refused with "<refusal>"

      Examples:
        | description   | path   | refusal                          |
        | a name's start | note  | …holds 'note'                    |
        | outside of it | ../own | '../own' is not in the project…  |

Feature: Restoring files
  The files of a project go back to a checkpoint. Nothing is destroyed that no checkpoint holds, and a restore that cannot
  be finished changes nothing.

  @CHK_05
  Rule: Restoring makes the tree what the checkpoint recorded
    Source: S2, section 4, whose restore neither removes a file that was added since nor spares one in the way. Decision
    0230.

    Scenario Outline: A file that the checkpoint holds comes back
      Given a project that holds one of each
      And the checkpoint "start"
      And since then <change>
      When brim restores the files of "start"
      Then the project is as it was at "start"

      Examples:
        | description                  | change                                   |
        | changed                      | a file was changed                       |
        | changed to the same length   | a file was changed to the same length    |
        | deleted                      | a file was deleted                       |
        | a whole folder deleted       | a folder was deleted                     |
        | made executable              | a file was made executable               |
        | made read-only and changed   | a file was changed and made read-only    |
        | replaced by a link           | a file was replaced by a link            |
        | a link replaced by a file    | a link was replaced by a file            |
        | a link that leads elsewhere  | a link was given another target          |
        | replaced by an empty folder  | a file was replaced by an empty folder   |
        | nothing                      | nothing was changed                      |

    Scenario Outline: A file that the checkpoint does not hold is removed where another checkpoint recorded it
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "plan" is added
      And <recorded>
      When brim restores the files of "start"
      Then the file "plan" is <state>

      Examples:
        | description                        | recorded                                             | state |
        | a later checkpoint recorded it     | the checkpoint "later"                               | gone  |
        | and it was changed since           | the checkpoint "later", and it is changed            | gone  |
        | no checkpoint recorded it          | nothing recorded it                                  | there |
        | only a safety checkpoint did       | the files of "start" were restored before            | there |
        | only another session's did         | a checkpoint of another session                      | there |

    Scenario Outline: A file and a folder change places
      Given a project with the file "<first>"
      And the checkpoint "start"
      And "<first>" was replaced by "<second>"
      And the checkpoint "later"
      When brim restores the files of "start"
      Then the project is as it was at "start"

      Examples:
        | description             | first      | second     |
        | a folder for a file     | place      | place/file |
        | a file for a folder     | place/file | place      |
        | deeper folders          | a/b/c      | a          |

    Scenario: A folder that a removal leaves empty is removed
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "folder/deeper/plan" is added
      And the checkpoint "later"
      When brim restores the files of "start"
      Then the file "folder" is gone

    Scenario: What the checkpoint names as left out stays
      Given a project with the file "notes"
      And a new file "video" of 3,000,000 bytes
      And the checkpoint "start"
      And the file "video" is changed
      And the checkpoint "later"
      When brim restores the files of "start"
      Then the file "video" is there

    Scenario Outline: What no checkpoint holds is in the way: nothing changes
      Given a project with the files "notes" and "folder/plan"
      And the checkpoint "start"
      And <obstacle>
      And the file "notes" is changed
      When brim restores the files of "start"
      Then brim refuses with "<words>"
      And the project has not changed

      Examples:
        | description                      | obstacle                                             | words                               |
        | an ignored file                  | "folder/plan" is ignored, deleted and made again     | 'folder/plan': no checkpoint holds it |
        | an ignored file in its folder    | "folder/plan" is a folder with an ignored file       | 'folder/plan/ignored': no checkpoint holds it |
        | a file of more than 2,097,152 bytes| "folder/plan" is deleted and made again with 3,000,000 bytes   | 'folder/plan': no checkpoint holds it |
        | an ignored file above it         | "folder" is replaced by an ignored file              | 'folder': no checkpoint holds it      |
        | an ignored link above it         | "folder" is replaced by an ignored link that leads outside | 'folder': no checkpoint holds it |
        | a repository above it            | "folder" is replaced by a repository                 | 'folder': no checkpoint holds it      |

    Scenario Outline: Force moves it beside itself
      Given a project with the files "notes" and "folder/plan"
      And the checkpoint "start"
      And <obstacle>
      When brim restores the files of "start" by force
      Then the file "folder/plan" is as at first
      And what was in the way is now "<beside>"

      Examples:
        | description             | obstacle                                              | beside                       |
        | an ignored file         | "folder/plan" is ignored, deleted and made again      | folder/plan.before-restore   |
        | the name is taken       | the same, and the name for it is taken                | folder/plan.before-restore-2 |
        | a folder                | "folder/plan" is a folder with an ignored file        | folder/plan.before-restore/ignored |
        | a link above it         | "folder" is replaced by an ignored link that leads outside | folder.before-restore   |
        | a repository above it   | "folder" is replaced by a repository                  | folder.before-restore/inside |

    Scenario: A link in the place of a folder leads no file out of the project
      Given a project with the files "notes" and "folder/plan"
      And the checkpoint "start"
      And "folder" is replaced by a link to a folder outside
      And the checkpoint "later"
      When brim restores the files of "start"
      Then the project is as it was at "start"
      And the folder outside has not changed

    Scenario Outline: A restore that cannot be finished changes nothing
      Given a project with the files "notes" and "folder/plan"
      And the checkpoint "start"
      And the files "notes" and "folder/plan" are changed
      And <failure>
      When brim restores the files of "start"
      Then brim refuses with "<words>"
      And the project has not changed

      Examples:
        | description               | failure                                    | words                          |
        | the store lacks a file    | the store lost the contents of "notes"     | lacks a file of this snapshot  |
        | the store is empty        | the store lost all its objects             | does not hold this snapshot    |
        | the store was removed     | the store was removed                      | does not hold this snapshot    |
        | the store is a link       | the store was replaced by a link           | links inside a store are not followed |
        | another process works     | another process works on the checkpoints   | another process works on the checkpoints |

    Scenario: A project that moved
      Given a project with the file "notes"
      And the checkpoint "start"
      And the project is moved
      When brim restores the files of "start"
      Then brim refuses with "the checkpoint was made of a folder elsewhere"
      And the project has not changed

    Scenario Outline: What a restore does not touch is named
      Given a project with the files "notes" and "folder/plan"
      And the checkpoint "start"
      And the file "notes" is changed
      And <there>
      When brim restores the files of "start"
      Then it names <named> as not touched

      Examples:
        | description                     | there                                               | named    |
        | nothing else is there           | the user says "Go on."                              | nothing  |
        | a file that no checkpoint holds | the file "new" is added                             | "new"    |
        | a large one                     | a new file "video" of 2,097,153 bytes               | "video"  |
        | a repository                    | a repository "inner" in the project                 | "inner/" |

    Scenario: Of single files that come back, what is elsewhere is not named
      Given a project with the files "notes" and "folder/plan"
      And the checkpoint "start"
      And the file "notes" is changed
      And the file "new" is added
      When brim restores "notes" from "start"
      Then it names nothing as not touched

  @CHK_07
  Rule: Single files come back from the checkpoint that is named; of a range, each file from its oldest checkpoint
    Source: S2, section 4, which reverts a list of patches and takes each file from the first that has it.

    Scenario Outline: Only the files that are named come back
      Given a project with the files "notes" and "folder/plan"
      And the checkpoint "start"
      And the files "notes" and "folder/plan" are changed
      When brim restores "<path>" from "start"
      Then "notes" is "<notes>", and "folder/plan" is "<plan>"

      Examples:
        | description     | path        | notes    | plan     |
        | a file          | notes       | at first | later    |
        | a folder        | folder      | later    | at first |
        | in a folder     | folder/plan | later    | at first |
        | spelled longer  | ./folder/   | later    | at first |

    Scenario Outline: What neither the checkpoint nor the project holds is refused
      Given a project with the files "notes" and "folder/plan"
      And the checkpoint "start"
      And the files "notes" and "folder/plan" are changed
      When brim restores "<path>" from "start"
      Then brim refuses with "<refusal>"

      Examples:
        | description    | path   | refusal                                          |
        | a name's start | note   | holds 'note'                                     |
        | outside of it  | ../own | '../own' is not in the project                   |

    Scenario Outline: Of a range, the files that changed in it come back
      Given a project with the files "notes" and "folder/plan"
      And the checkpoint "start"
      And the file "notes" was changed before the checkpoint "middle"
      And the file "folder/plan" was changed before the checkpoint "end"
      When brim restores the files that changed from "<first>" to "<last>"
      Then "notes" is "<notes>", and "folder/plan" is "<plan>"

      Examples:
        | description     | first  | last   | notes    | plan     |
        | the first turn  | start  | middle | at first | later    |
        | the second turn | middle | end    | later    | at first |
        | both            | start  | end    | at first | at first |
        | none            | end    | end    | later    | later    |

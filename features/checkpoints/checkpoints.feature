Feature: Checkpoints
  A checkpoint is a way back for a project's files, for the conversation, or for both. Going back can itself be undone.

  Background:
    Given the history of a project
      | user says | notes    | checkpoint |
      | Begin.    | at first | start      |
      | Go on.    | later    |            |

  @CHK_01
  Rule: A checkpoint before a prompt has the tag "auto" and is named "Before: ", 50 characters of the prompt and "..."; others are named by the user
    Source: S2, sections 4 and 10.4.

    Scenario Outline: The name has the first 50 characters of the prompt
      When brim makes the checkpoint before a prompt of <count> characters
      Then the result is
        | name                | tags |
        | Before: <shown>...  | auto |

      Examples:
        | description | count | shown                                              |
        | short       | 3     | xxx                                                |
        | one below   | 49    | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx  |
        | equal       | 50    | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx |
        | one above   | 51    | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx |

    Scenario: A checkpoint by hand
      When brim makes a checkpoint "before the move" tagged "green, mine"
      Then the result is
        | name            | tags        |
        | before the move | green, mine |

    Scenario Outline: The tags of brim's own checkpoints are refused
      When brim makes a checkpoint tagged "green, <tag>"
      Then it is refused with "the tag '<tag>' is of checkpoints that brim makes itself…"
      And the project holds
        | checkpoints |
        | start       |

      Examples:
        | description      | tag    |
        | before a prompt  | auto   |
        | before a restore | safety |

    Scenario Outline: A checkpoint is found by its id, its beginning or end, in small letters too, or by its name
      When brim makes a checkpoint "end" and finds "<words>"
      Then the name is "<name>"

      Examples:
        | description         | words          | name |
        | its name            | start          | start |
        | its id              | the id         | end  |
        | the end of the id   | the id's end   | end  |
        | in small letters    | the id in small | end |

    Scenario Outline: A checkpoint that is not there, or is one of several, is refused with the ids of the newest three
      Given the history of a project
        | checkpoint | times   |
        | more       | <count> |
      When brim finds "<name>"
      Then it is refused with "<words>"

      Examples:
        | description    | count | name  | words                                           |
        | no such one    | 1     | never | …has no checkpoint 'never'…                     |
        | no name at all | 1     |       | …has no checkpoint ''…                          |
        | two of a name  | 2     | more  | 'more' may be 2 checkpoints, the newest…        |
        | three          | 3     | more  | …; give more of an id                           |
        | one more       | 4     | more  | 'more' may be 4 checkpoints, the newest…        |

  @CHK_04
  Rule: There are three ways back: files, conversation, or both
    Source: S2, sections 4 and 10.4.

    Scenario Outline: What goes back, and what an undo of that brings back
      When brim restores <what>
      Then the project holds
        | notes   | messages   |
        | <notes> | <messages> |

      Examples:
        | description | what | notes | messages |
        | files | files of "start" | at first | 4 |
        | the conversation | the conversation of "start" | later | 2 |
        | both | both of "start" | at first | 2 |
        | files, undone | files of "start" and undoes the restore | later | 4 |
        | the conversation, undone | the conversation of "start" and undoes the restore | later | 4 |
        | both, undone | both of "start" and undoes the restore | later | 4 |

  @CHK_06
  Rule: A checkpoint of the present state is made before a restore, so that the restore can be undone
    Source: brim; field: anthropics/claude-code#16023. S2, section 4, undoes a revert by its patches in reverse.

    Scenario: The safety checkpoint is listed and can be restored
      When brim restores files of "start" and restores files of "Before restoring start"
      Then the project is as at "before"
      And the project holds
        | checkpoints                                                             |
        | Before restoring Before restoring start, Before restoring start, start |

    Scenario Outline: Restores are undone one after the other, each as far as it went
      Given the history of a project
        | notes   | plan  | checkpoint |
        | <notes> | <plan> | later     |
        | <after> |       |            |
      When brim <acts>
      Then the project holds
        | notes  | plan   |
        | <held> | <there> |

      Examples:
        | description                       | notes    | plan    | after | acts                                                                                           | held  | there |
        | two restores                      | again    | a plan  | now   | restores files of "start", restores files of "later", undoes the restore and undoes the restore | now   | a plan |
        | a single file                     | again    | a plan  | now   | restores "notes" of "start" and undoes the restore                                              | now   | a plan |
        | a file that had been deleted      | again    | a plan  | gone  | restores files of "start" and undoes the restore                                                | gone  | a plan |
        | a large one that had been deleted | again    | a plan  | gone  | restores files of "later" and undoes the restore                                                | gone  | a plan |

    Scenario: Without a restore there is nothing to undo
      When brim undoes the restore
      Then it is refused with "…has no restore to take back"

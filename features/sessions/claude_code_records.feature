Feature: Records of Claude Code
  A registry of Claude Code names the transcript of each session, its folder and its model, and what the user
  prefers. An import of the registry is one of the session that it names. Preferences are settings, and settings
  are in the user's own file of brim: the import says which ones to set there.

  @SES_17
  Rule: A registry leads to the transcript of its session, and each of its fields is where the user looks for it
    Source: the registry and the transcript in the comparison of OpenCode and Claude Code (S2, section 3, Session
    Persistence).

    Scenario: The session in the registry
      Given a registry of Claude Code whose session has
        | field          | value                  | in brim                |
        | id             | abc123                 | its id                 |
        | cwd            | /home/dev/parser       | its project            |
        | model          | sonnet                 | its model              |
        | transcriptPath | sessions/abc123.jsonl  | what is said           |
        | lastActive     | 2025-01-15 10:30       | when it was last active |
      When it is imported
      Then each field is where the table says

    Scenario: The lines of a transcript
      Given a transcript of Claude Code whose lines have
        | line | field       | value                  | in brim                 |
        | 1    | role        | user                   | who speaks              |
        | 1    | content     | Analyze the auth system | what is said           |
        | 1    | timestamp   | 2024-01-15 10:50       | the time of the message |
        | 2    | role        | assistant              | who speaks              |
        | 2    | tool        | Read                   | the name of a called tool |
        | 2    | path        | src/auth.ts            | the input of a call     |
        | 2    | timestamp   | 2024-01-15 10:51       | the time of the message |
        | 3    | role        | user                   | who speaks              |
        | 3    | tool_use_id | 123                    | the id of a call        |
        | 3    | result      | export class Auth      | the words of a result   |
        | 3    | timestamp   | 2024-01-15 10:52       | the time of the message |
      When it is imported
      Then each field is where the table says

    Scenario: Times and models of the transcript come first
      Given a registry of Claude Code with a transcript that has a folder, a model and times of its own
      When it is imported
      Then the session has the folder, the model and the times of the transcript

    Scenario Outline: A registry that names not one session
      Given a registry of Claude Code with <sessions>
      When it is imported
      Then it is refused, and the reason has "<words>"

      Examples:
        | description | sessions   | words                                  |
        | none        | no session | names no session; name a transcript    |
        | several     | 2 sessions | names 2 sessions; name the transcript  |

    Scenario Outline: A session in the registry that cannot be read
      Given a registry of Claude Code with <fault>
      When it is imported
      Then it is refused, and the reason has "<words>"

      Examples:
        | description       | fault                              | words           |
        | a transcript gone | a session whose transcript is gone | No such file    |
        | another form      | a session that is no object        | sessions.abc123 |

  @SES_17
  Rule: What Claude Code prefers is named with the setting of brim for it, and changes no setting
    Source: the preferences in the comparison of OpenCode and Claude Code (S2, section 3); settings of a user are in
    the user's own file, of whose form is decision 0232.

    Scenario: Preferences in the registry
      Given a registry of Claude Code with the model "sonnet" and the permission mode "plan"
      When it is imported
      Then the import says "default_model is sonnet, permission_mode is plan"
      And its model is "sonnet"
      And there is no file of settings

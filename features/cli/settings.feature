Feature: Settings of the command
  The command takes its settings from files, from the environment and from flags. A later layer wins over an earlier one, and
  every layer wins over what the profile presets.

  @SET_02
  Rule: Each setting can be set in the user's file, in a project's file and in the environment
    Source: the configuration of windowing in the command line (S3), and the configuration of a threshold that the roadmap
    asks for (S2, section 10.2).

    Each row runs `brim compact` six times: without the setting, with it in the user's brim.toml, in the project's brim.toml, in
    its pyproject.toml, and in a variable such as BRIM_THRESHOLD, and once more with none.

    Scenario Outline: A setting changes when compaction is due
      Given a transcript of 16 long turns
      When brim compacts it with "<flags>", and with "<key>" set to "<value>" in each place
      Then the <figure> is "<default>", and with the setting "<set>"

      Examples:
        | description                | flags               | key             | value     | figure    | default         | set      |
        | compaction is off          |                     | enabled         | false     | reason    | under threshold | disabled |
        | another profile            |                     | profile         | windowing | threshold | 168,000         | 80,000   |
        | a threshold in percent     |                     | threshold       | 50%       | threshold | 168,000         | 100,000  |
        | a threshold in tokens      |                     | threshold       | 120k      | threshold | 168,000         | 120,000  |
        | less room for the answer   |                     | output_cap      | 16000     | threshold | 168,000         | 184,000  |
        | another share              | --profile proactive | proactive_share | 0.5       | threshold | 154,560         | 84,000   |
        | what the share is taken of | --profile proactive | share_basis     | window    | threshold | 154,560         | 168,000  |

    Scenario Outline: A setting changes how many messages stay word for word
      Given a transcript of <conversation>
      When brim compacts it with "", and with "<key>" set to "<value>" in each place
      Then the kept is "<default>", and with the setting "<set>"

      Examples:
        | description                | conversation              | key               | value   | default | set |
        | a smaller share            | 16 long turns             | keep_share        | 5%      | 9       | 2   |
        | fewer tokens               | 16 long turns             | keep_tokens       | 8k      | 9       | 5   |
        | less held afterwards       | 16 long turns             | target_tokens     | 16k     | 9       | 5   |
        | a smaller budget           | 16 long turns             | budget_buffer     | 192_000 | 9       | 5   |
        | fewer turns                | 16 long turns             | recent_turns      | 1       | 9       | 4   |
        | messages in place of turns | 16 long turns             | keep_messages     | 6       | 9       | 7   |
        | an uncertain anchor        | turns with passing tests  | anchor_confidence | 0.99    | 26      | 12  |
        | another agent's notes      | turns with notes          | harness_tags      | note    | 8       | 18  |
        | another tool that edits    | turns with a tool to mend | editing_tools     | Mend    | 12      | 26  |

    Scenario Outline: A setting changes what a summary shows, and what is cleared
      Given a transcript of <conversation>
      When brim compacts it with "<flags>", and with "<key>" set to "<value>" in each place
      Then the <figure> is "<default>", and with the setting "<set>"

      Examples: How many of the user's messages a summary shows
        | description                | conversation              | flags               | key         | value | figure         | default | set |
        | a smaller share            | 40 long requests          | --keep-tokens 1k         | words_share | 6%    | requests shown | 20      | 11  |

      Examples: How many outcomes a summary shows
        | description                | conversation              | flags               | key           | value | figure         | default | set |
        | a smaller share            | 300 long answers          | --keep-tokens 1k         | summary_share | 5%    | outcomes shown | 298     | 72  |

      Examples: How many identifiers a summary lists
        | description                | conversation              | flags               | key               | value | figure         | default | set |
        | no index                   | 300 answers with tickets  | --keep-tokens 1k         | identifiers_share | 0     | tickets listed | 298     | 0   |

      Examples: Which old tool outputs are cleared
        | description                | conversation              | flags                                   | key             | value | figure  | default | set |
        | none are                   | 6 outputs of 30,000       | --keep-messages 20 --keep-share 100%    | prune           | off   | cleared | 2       | 0   |
        | more are protected         | 6 outputs of 30,000       | --keep-messages 20 --keep-share 100%    | prune_protect   | 100k  | cleared | 2       | 0   |
        | a larger minimum           | 6 outputs of 30,000       | --keep-messages 20 --keep-share 100%    | prune_minimum   | 100k  | cleared | 2       | 0   |
        | the tool is protected      | 6 outputs of 30,000       | --keep-messages 20 --keep-share 100%    | protected_tools | Bash  | cleared | 2       | 0   |

    Scenario Outline: A setting changes the summary of a model
      Given a transcript of 16 long turns
      And a provider that answers "All went well."
      When brim compacts it with "--summarizer anthropic", and with "<key>" set to "<value>" in each place
      Then the <figure> is "<default>", and with the setting "<set>"

      Examples:
        | description           | key                | value           | figure          | default           | set             |
        | another model         | summary_model      | claude-opus-5-5 | model asked     | claude-sonnet-5-5 | claude-opus-5-5 |
        | another prompt        | prompt             | Tell it all.    | ends with it    | False             | True            |
        | a focus               | focus              | the lexer       | names the lexer | False             | True            |
        | a shorter summary     | max_summary_tokens | 500             | longest answer  | 8,000             | 500             |
        | a fact that it lacks  | required_facts     | port 8080       | exit code       | 0                 | 1               |

    Scenario Outline: A setting changes the summary if no attempt succeeds
      Given a transcript of 16 long turns
      And a provider that answers ""
      When brim compacts it with "--summarizer anthropic", and with "on_failure" set to "<value>" in each place
      Then the summary by is "<default>", and with the setting "<set>"

      Examples:
        | description           | value    | default | set      |
        | brim's own summary    | template | nobody  | template |
        | only a note           | truncate | nobody  | truncate |

    Scenario: A truncated history is announced
      Given a transcript of 16 long turns
      And a provider that answers ""
      When brim compacts it with "--summarizer anthropic --on-failure truncate"
      Then it ends with 0, and stderr says "no attempt gave a summary: 55 messages were left out without one"

    Scenario Outline: brim settings shows what only agents use, and the command does not
      When brim settings is run with "<key>" set to "<value>" in each place
      Then each shows "<shown>", and where it comes from

      Examples:
        | description                 | key               | value | shown |
        | the number of conversations | max_conversations | 5     | 5     |
        | the tool that searches      | recall            | true  | True  |
        | a summary ahead             | ahead             | 0.5   | 0.5   |

    Scenario Outline: A switch of the environment is shown as what it turns off
      Given the variable "<variable>" is "1"
      And the user's file sets "<key>" to "true"
      When brim settings is run
      Then "<key>" is "False", from "<variable>"

      Examples:
        | description        | variable                     | key     |
        | compaction         | BRIM_DISABLE_AUTOCOMPACT     | enabled |
        | OpenCode's         | OPENCODE_DISABLE_AUTOCOMPACT | enabled |
        | pruning            | BRIM_DISABLE_PRUNE           | prune   |
        | OpenCode's pruning | OPENCODE_DISABLE_PRUNE       | prune   |

    Scenario Outline: A flag sets a field
      Given a transcript of 16 long turns
      When brim compacts it with "<flags>"
      Then the <figure> is "<set>"

      Examples:
        | description             | flags                            | figure    | set     |
        | a share of the window   | --threshold 80%                  | threshold | 160,000 |
        | tokens                  | --threshold 160k                 | threshold | 160,000 |
        | S3's threshold          | --context-window-threshold 80000 | threshold | 80,000  |
        | a profile               | --profile claude-code-2.1        | threshold | 167,000 |
        | S3's feature flag       | --experimental-context-window    | threshold | 80,000  |
        | tokens to keep          | --keep-tokens 8k                 | kept      | 5       |
        | S3's target             | --context-window-target 8000     | kept      | 2       |
        | messages to keep        | --keep-messages 6                | kept      | 7       |
        | a share to keep         | --keep-share 5%                  | kept      | 2       |

    Scenario Outline: A flag sets how many outcomes a template's summary shows
      Given a transcript of 300 long answers
      When brim compacts it with "<flags>"
      Then the <figure> is "<set>"

      Examples: Beside 1,000 tokens that are kept
        | description       | flags                          | figure         | set |
        | the usual share   | --keep-tokens 1k                    | outcomes shown | 298 |
        | a smaller share   | --keep-tokens 1k --summary-share 5% | outcomes shown | 72  |

    Scenario Outline: A flag sets what a model's summary is made by
      Given a transcript of 16 long turns
      And a provider that answers "<answer>"
      When brim compacts it with "--summarizer anthropic <flag>"
      Then the <figure> is "<set>"

      Examples:
        | description   | answer         | flag                            | figure          | set             |
        | the model     | All went well. | --summary-model claude-opus-5-5 | model asked     | claude-opus-5-5 |
        | the prompt    | All went well. | --prompt opencode               | prompt          | opencode        |
        | the focus     | All went well. | --focus lexer                   | names the lexer | True            |
        | the way out   |                | --on-failure truncate           | summary by      | truncate        |

    Scenario Outline: inspect judges by the settings too
      Given a transcript of 16 long turns
      When brim inspects it with "<flags>"
      Then its threshold is <threshold>

      Examples:
        | description   | flags                         | threshold |
        | a threshold   | --threshold 25%               | 50,000    |
        | a profile     | --profile windowing           | 80,000    |
        | S3's flag     | --experimental-context-window | 80,000    |
        | none          |                               | 168,000   |

    Scenario Outline: A session is judged by the settings too
      Given a transcript of 16 long turns
      And the user's file sets "threshold" to "<threshold>"
      When brim shows the session that is imported from it
      Then its threshold is <tokens>

      Examples:
        | description    | threshold | tokens  |
        | the user's     | 50%       | 100,000 |
        | another        | 120k      | 120,000 |

  @SET_02
  Rule: A flag wins over the environment, the environment over the project's file, and that over the user's
    Source: a decision of this project (0232), in the order that ruff, pip and git have.

    Scenario Outline: The threshold of the last layer applies
      Given a transcript of 16 long turns
      And thresholds of "<user>" in the user's file, "<project>" in the project's, "<variable>" in the environment
      When brim compacts it with "<flags>"
      Then the threshold is "<threshold>"

      Examples:
        | description              | user | project | variable | flags           | threshold |
        | none                     |      |         |          |                 | 168,000   |
        | the user's               | 110k |         |          |                 | 110,000   |
        | the project's            |      | 120k    |          |                 | 120,000   |
        | the project's wins       | 110k | 120k    |          |                 | 120,000   |
        | the environment wins     | 110k | 120k    | 130k     |                 | 130,000   |
        | the flag wins            | 110k | 120k    | 130k     | --threshold 70% | 140,000   |
        | the flag over the user's | 110k |         |          | --threshold 70% | 140,000   |
        | an empty variable        | 110k |         |          |                 | 110,000   |

    Scenario: A field of an earlier layer wins over the preset of a later layer's profile
      Given a transcript of 16 long turns
      And the user's file sets "keep_tokens" to "8000"
      When brim compacts it with "--profile windowing"
      Then the kept is "11"
      And the keep target is "8,000"

    Scenario: The file "brim.toml" wins over the "pyproject.toml" beside it
      Given a transcript of 16 long turns
      And the file "pyproject.toml" holds "[tool.brim.compaction]\nthreshold = '60%'\nkeep_tokens = 8000"
      And the file "brim.toml" holds "[compaction]\nthreshold = '70%'"
      When brim compacts it with ""
      Then the threshold is "140,000"
      And the keep target is "15,000"

    Scenario Outline: The project is the nearest folder with settings, up to the root of the repository
      Given the file "<file>" holds "<text>"
      And the current folder is "<folder>"
      When brim settings is run
      Then "threshold" is "<value>", from "<from>"

      Examples:
        | description                | file           | folder      | text                                     | value  | from           |
        | the root                   | brim.toml      | src/parcel  | [compaction]\nthreshold = '60%'          | 60%    | brim.toml      |
        | a pyproject.toml           | pyproject.toml | src/parcel  | [tool.brim.compaction]\nthreshold = 9000 | 9000   | pyproject.toml |
        | above the repository       | ../brim.toml   | src/parcel  | [compaction]\nthreshold = '60%'          | None   | default        |
        | a pyproject of others      | pyproject.toml | src/parcel  | [tool.ruff]\nline-length = 80            | None   | default        |
        | one that is no TOML        | pyproject.toml | src/parcel  | [tool.ruff                               | None   | default        |

    Scenario Outline: Outside of a repository only the current folder's own file counts
      Given a project that is no repository
      And the file "brim.toml" holds "[compaction]\nthreshold = '60%'"
      And the current folder is "<folder>"
      When brim settings is run
      Then "threshold" is "<value>", from "<from>"

      Examples:
        | description      | folder | value | from      |
        | the file's own   | .      | 60%   | brim.toml |
        | one below        | src    | None  | default   |

    Scenario Outline: brim settings names where each value comes from
      Given the user's file sets "prompt" to "opencode"
      And the file "brim.toml" holds "[compaction]\nprofile = 'windowing'"
      And the variable "BRIM_KEEP_SHARE" is "0.5"
      When brim settings is run
      Then "<key>" is "<value>", from "<from>"

      Examples:
        | description          | key           | value     | from              |
        | the user's file      | prompt        | opencode  | .config/brim      |
        | the project's file   | profile       | windowing | project/brim.toml |
        | the environment      | keep_share    | 0.5       | BRIM_KEEP_SHARE   |
        | the profile          | keep_messages | 10        | profile windowing |
        | nowhere              | recent_turns  | 3         | default           |

  @SET_03
  Rule: A project's file cannot change the summary request, the fallback, the harness tags, or whether brim compacts
    Source: a decision of this project (0232). A cloned repository brings its files along; the user may not have read them.

    Scenario Outline: A field that only the user sets is ignored in a project's file, with a warning
      Given a transcript of <conversation>
      And a provider that answers "<answer>"
      When brim compacts it with "--summarizer anthropic", before and after the project sets "<key>" to "<value>"
      Then both requests and both compactions are the same, and with "--trust-project" they differ
      And the warning names the file and "<key>", and "--trust-project"

      Examples:
        | description              | conversation     | answer         | key                | value              |
        | the model                | 16 long turns    | All went well. | summary_model      | 'claude-haiku-4-5' |
        | the prompt               | 16 long turns    | All went well. | prompt             | 'Praise me.'       |
        | the focus                | 16 long turns    | All went well. | focus              | 'the lexer'        |
        | the longest answer       | 16 long turns    | All went well. | max_summary_tokens | 1                  |
        | facts to hold            | 16 long turns    | All went well. | required_facts     | ['port 8080']      |
        | what replaces a summary  | 16 long turns    |                | on_failure         | 'truncate'         |
        | whether brim compacts    | 16 long turns    | All went well. | enabled            | false              |
        | whose words are whose    | turns with notes | All went well. | harness_tags       | ['note']           |

    Scenario: The other fields of the same file apply
      Given a transcript of 16 long turns
      And the file "brim.toml" holds "[compaction]\nprompt = 'Praise me.'\nthreshold = '60%'"
      When brim compacts it with ""
      Then the threshold is "120,000"

  @SET_04
  Rule: A key that does not exist is refused with the nearest one, and an unknown variable is named in a warning
    Source: a decision of this project (0232). A setting that is misspelt and ignored is a setting that its user believes in.

    Scenario Outline: A wrong file is refused
      Given the file "<file>" holds "<text>"
      When brim settings is run
      Then it ends with 1, and stderr says "<error>"

      Examples:
        | description             | file           | text                                | error                                                              |
        | a misspelt key          | brim.toml      | [compaction]\ntreshold = '80%'      | brim.toml: there is no setting 'treshold'; did you mean threshold? |
        | in pyproject.toml       | pyproject.toml | [tool.brim.compaction]\nprompts = 1 | [tool.brim]: there is no setting 'prompts'; did you mean prompt?   |
        | a key without a table   | brim.toml      | threshold = '80%'                   | no table or key 'threshold' at the top; write it below [compaction] |
        | a misspelt table        | brim.toml      | [compacton]\nthreshold = 8          | no table or key 'compacton' at the top; did you mean compaction?   |
        | no table                | brim.toml      | compaction = 8                      | compaction is int; it is a table                                   |
        | no TOML                 | brim.toml      | [compaction                         | cannot be read as TOML                                             |
        | a threshold of nothing  | brim.toml      | [compaction]\nthreshold = 0         | a threshold of 0 tokens: every conversation would be due           |
        | another type            | brim.toml      | [compaction]\nkeep_messages = true  | keep_messages is True                |
        | no number               | brim.toml      | [compaction]\nkeep_tokens = 'many'  | keep_tokens is 'many'; it is a whole number from 0, such as 200000, 200k or 1m |
        | no share                | brim.toml      | [compaction]\nkeep_share = '150%'   | it has to be above 0 and at most 1                                 |
        | an object               | brim.toml      | [compaction]\ntoken_counter = 'len' | token_counter is str; it is an object with the method count(text)  |
        | neither true nor false  | brim.toml      | [compaction]\nprune = 'maybe'       | prune is 'maybe'; it is true or false                              |

    Scenario Outline: A wrong flag is refused
      Given a transcript of 16 long turns
      When brim compacts it with "<flags>"
      Then it ends with 2, and stderr says "<error>"

      Examples:
        | description                | flags                                          | error                                                   |
        | a threshold of nothing     | --threshold 0                                  | --threshold: a threshold of 0 tokens                    |
        | neither number nor %       | --threshold half                               | --threshold: threshold is 'half'; it is a whole number from 0, such as 200000, 200k or 1m, or a percentage |
        | more than the window       | --threshold 101%                               | it has to be above 0% and at most 100%                  |
        | no profile                 | --profile best                                 | --profile: there is no profile 'best'                   |
        | a negative target          | --target=-1                                    | --target: target_tokens is '-1'; it is a whole number     |
        | two profiles               | --profile usable --experimental-context-window | leave out --profile                                     |
        | a prompt without a model   | --prompt opencode                              | --prompt is for a model that writes the summary         |
        | a fallback without a model | --on-failure raise                             | --on-failure is for a model that writes the summary     |
        | no way out                 | --summarizer anthropic --on-failure hope       | --on-failure: on_failure is 'hope'                      |
        | a window of words          | --window many                                  | 'many' is not a whole number from 0, such as 200000, 200k or 1m |

    Scenario Outline: An unknown variable warns, and a wrong value is refused
      Given the variable "<variable>" is "<value>"
      When brim settings is run
      Then it ends with <code>, and stderr says "<error>"

      Examples:
        | description            | variable             | value | code | error                                                             |
        | misspelt               | BRIM_TRESHOLD        | 80%   | 0    | BRIM_TRESHOLD is no variable of brim; did you mean BRIM_THRESHOLD? |
        | a value that is none   | BRIM_THRESHOLD       | half  | 1    | BRIM_THRESHOLD: threshold is 'half'; it is a whole number         |
        | an object              | BRIM_TOKEN_COUNTER   | len   | 0    | BRIM_TOKEN_COUNTER is no variable of brim                         |
        | a switch               | BRIM_DISABLE_PRUNE   | 1     | 0    |                                                                   |
        | the folder of sessions | BRIM_HOME            | /tmp  | 0    |                                                                   |
        | one of brim's tests    | BRIM_NIGHTLY         | 1     | 0    |                                                                   |

    Scenario: A threshold above the usable context is lowered, with a warning
      Given a transcript of 16 long turns
      When brim compacts it with "--threshold 190k"
      Then the threshold is "168,000"
      And a notice says "the threshold of 190000 is above the usable context of 168000: 168000 is used"

  @SET_05
  Rule: The user's preferences are settings: a default model where none is named, and a permission mode
    Source: the preferences that Claude Code keeps beside its sessions (S2, section 3).

    Scenario Outline: The default model is used where nothing else names one
      Given <input> whose model is "<model>"
      And the user prefers "default_model" to be "claude-opus-5-5"
      When "<command>" runs on it with "<flags>"
      Then it works with the model "<used>"

      Examples:
        | description                     | input         | model             | command            | flags                      | used              |
        | a transcript without a model    | a transcript  |                   | inspect            |                            | claude-opus-5-5   |
        | one that names its model        | a transcript  | claude-sonnet-5-5 | inspect            |                            | claude-sonnet-5-5 |
        | a flag                          | a transcript  |                   | inspect            | --model claude-sonnet-5-5  | claude-sonnet-5-5 |
        | a compaction                    | a transcript  |                   | compact            |                            | claude-opus-5-5   |
        | a new session                   | a transcript  |                   | sessions import    |                            | claude-opus-5-5   |
        | a new session of a known model  | a transcript  | claude-sonnet-5-5 | sessions import    |                            | claude-sonnet-5-5 |
        | a session without a model       | a session     |                   | sessions compact     |                          | claude-opus-5-5   |
        | a session with one              | a session     | claude-sonnet-5-5 | sessions compact     |                          | claude-sonnet-5-5 |

    Scenario Outline: Preferences are shown with where they come from
      Given the user prefers "permission_mode" to be "plan"
      And the variable "<variable>" is "<value>"
      When brim settings is run
      Then "<key>" is "<shown>", from "<from>"

      Examples:
        | description        | variable                         | value           | key                         | shown           | from                             |
        | the user's file    | BRIM_PREFERENCES_DEFAULT_MODEL   | claude-opus-5-5 | preferences.permission_mode | plan            | .config/brim                     |
        | the environment    | BRIM_PREFERENCES_DEFAULT_MODEL   | claude-opus-5-5 | preferences.default_model   | claude-opus-5-5 | BRIM_PREFERENCES_DEFAULT_MODEL   |
        | nowhere            | BRIM_KEEP_TOKENS                 | 8k              | preferences.default_model   |                 | default                          |
        | a later layer      | BRIM_PREFERENCES_PERMISSION_MODE | acceptEdits     | preferences.permission_mode | acceptEdits     | BRIM_PREFERENCES_PERMISSION_MODE |

    Scenario Outline: A variable has the name of its table in front, but for the settings of compaction
      Given the variable "<variable>" is "<value>"
      When brim settings is run
      Then "<key>" is "<shown>", from "<variable>"

      Examples:
        | description  | variable                       | value | key                          | shown |
        | compaction   | BRIM_KEEP_MESSAGES             | 7     | keep_messages                | 7     |
        | memory       | BRIM_MEMORY_FILE_BYTES         | 1k    | memory.file_bytes            | 1000  |
        | checkpoints  | BRIM_CHECKPOINTS_KEEP_DAYS     | 90    | checkpoints.keep_days        | 90    |
        | ... a switch | BRIM_CHECKPOINTS_SNAPSHOTS     | false | checkpoints.snapshots        | False |
        | preferences  | BRIM_PREFERENCES_DEFAULT_MODEL | opus  | preferences.default_model    | opus  |

    Scenario Outline: A variable without the name of its table is named
      Given the variable "<variable>" is "9"
      When brim settings is run
      Then stderr says "<variable> is no variable of brim; did you mean <meant>?"

      Examples:
        | description  | variable           | meant                          |
        | checkpoints  | BRIM_KEEP_DAYS     | BRIM_CHECKPOINTS_KEEP_DAYS     |
        | preferences  | BRIM_DEFAULT_MODEL | BRIM_PREFERENCES_DEFAULT_MODEL |

    Scenario Outline: A project's file does not set a preference
      Given the file "brim.toml" holds "[preferences]\n<line>"
      When brim settings is run
      Then "<key>" is "<shown>", from "default"
      And stderr says "which a project may not: ignored"

      Examples:
        | description       | line                                  | key                         | shown   |
        | another model     | default_model = 'some-model'          | preferences.default_model   |         |
        | every permission  | permission_mode = 'bypassPermissions' | preferences.permission_mode | default |

    Scenario Outline: A preference that cannot be is refused
      Given the user prefers "<key>" to be "<value>"
      When brim settings is run
      Then it ends with 1, and stderr says "<error>"

      Examples:
        | description           | key             | value      | error                                                                 |
        | an unknown mode       | permission_mode | everything | permission_mode is 'everything'                                       |
        | a misspelt key        | default_modell  | opus       | there is no 'default_modell'; did you mean default_model?             |
        | a key of another table | threshold      | 80%        | there is no 'threshold'                                               |

    Scenario: A preference at the top of the file is refused with its table
      Given the file "brim.toml" holds "default_model = 'some-model'"
      When brim settings is run
      Then it ends with 1, and stderr says "no table or key 'default_model' at the top; write it below [preferences]"

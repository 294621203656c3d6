Feature: Status of a proxy
  At its start the proxy prints an address of its own with a token in it. There it shows what it did: as a page at `/`, and
  as JSON at `/brim`.

  @SRV_06
  Rule: The proxy shows its status on loopback alone, to a request that names the token
    Source: a decision of this project (0224).

    Scenario Outline: Who asks for the status
      When a request goes through the proxy
        | path   | token   | listens on |
        | <path> | <token> | <host>     |
      Then the status is "<status>"
      And the passed unchanged is "<passed>"

      Examples:
        | description              | path  | token   | host    | status | passed |
        | the page                 | /     | its own |         | 200    | no     |
        | the JSON                 | /brim | its own |         | 200    | no     |
        | the page without a token | /     |         |         | 403    | no     |
        | the JSON without a token | /brim |         |         | 403    | no     |
        | another token            | /brim | another |         | 403    | no     |
        | the page off loopback    | /     | its own | 0.0.0.0 | 200    | yes    |
        | the JSON off loopback    | /brim | its own | 0.0.0.0 | 200    | yes    |

  @SRV_07
  Rule: The status has numbers and no text of a conversation
    Source: a decision of this project (0224).

    Scenario Outline: An agent has worked, and the status is read
      When an agent works through the proxy
        | API      | turns   | status   |
        | Messages | <turns> | <status> |
      Then the shows the window is "<window>"
      And the shows a text is "no"

      Examples:
        | description              | turns | status | window |
        | before the first request | 0     | page   | no     |
        | the page                 | 12    | page   | yes    |
        | the JSON                 | 12    | JSON   | yes    |

Feature: Server of a proxy
  The proxy listens on this machine. It sends the keys of agents to one upstream, or to the provider that a request is for.

  @SRV_03
  Rule: Keys go through TLS or stay on this machine
    Source: a decision of this project (0224).

    Scenario Outline: An upstream is judged before anything is sent
      When the upstream of the proxy is "<upstream>"
      Then the refused is "<refused>"

      Examples:
        | description      | upstream                        | refused                |
        | TLS              | https://gateway.example/v1      |                        |
        | this machine     | http://localhost:1              |                        |
        | another machine  | http://192.168.1.9:4000         | …has no TLS…           |
        | a name like ours | http://127.0.0.1.evil.example   | …has no TLS…           |
        | a key in it      | https://me:sk-1@gateway.example | …more than a path…     |

    Scenario Outline: A request for another host was led here by a web page
      When a request goes through the proxy
        | path        | body            | host   |
        | v1/messages | "messages": […] | <host> |
      Then the status is "<status>"

      Examples:
        | description    | host              | status |
        | this machine   | localhost         | 200    |
        | by its address | 127.0.0.1         | 200    |
        | another name   | evil.example      | 400    |
        | a longer name  | localhost.example | 400    |

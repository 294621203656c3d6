// An extension of pi's: its providers of Anthropic's and OpenAI's API ask the proxy. An address of the user's own stays.
const PROVIDERS = [
  ["anthropic", "https://api.anthropic.com", process.env.ANTHROPIC_BASE_URL],
  ["openai", "https://api.openai.com/v1", process.env.OPENAI_BASE_URL],
];

export default function (pi) {
  pi.on("session_start", (_event, { modelRegistry }) => {
    for (const [provider, home, baseUrl] of PROVIDERS) {
      const model = modelRegistry.getAll().find((one) => one.provider === provider);
      if (model?.baseUrl === home) pi.registerProvider(provider, { baseUrl });
    }
  });
}

// An adapter: a program that answers the portable operations, so that the features can be run against it.
//
//     pytest features/ --implementation "node docs/implementers/adapter.mjs"
//
// This one carries an implementation of its own, so that it can be read from end to end. Yours would import the
// compaction code that it speaks for, and be little more than the last three parts: the forms that inputs have, the
// list of operations, and the loop that reads a line and writes a line.
//
// Three things go wrong most often in a port, and are done with care here:
//   - numbers are exact: 29 % of 100 is 29, where binary fractions make it 28. Counts are BigInt, whose division
//     floors, and other numbers are fractions of two of them, read digit by digit (`fraction`, `readJson`);
//   - a character is a Unicode code point, not half of a surrogate pair (`codePoints`);
//   - a line ends with \n and with nothing else: Node's readline would also split at U+2028 (`serve`).

import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

// ── Problems: answers that are no output ─────────────────────────────────────────────────────────────────────────

class Problem extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/** A rule refuses it. */
const refuse = (message) => { throw new Problem("refused", message); };

/** It is not of the operation's form. */
const invalid = (message) => { throw new Problem("invalid_input", message); };

// ── Exact numbers ────────────────────────────────────────────────────────────────────────────────────────────────

/** A number as it is written: 0.92 is { top: 92n, bottom: 100n }. */
function fraction(written) {
  const [digits, power = "0"] = written.toLowerCase().split("e");
  const [whole, decimals = ""] = digits.split(".");
  const shift = Number(power) - decimals.length;
  const top = BigInt(whole + decimals);
  return shift < 0 ? { top, bottom: 10n ** BigInt(-shift) } : { top: top * 10n ** BigInt(shift), bottom: 1n };
}

const isWithin = ({ top, bottom }, most) => top > 0n && top <= most * bottom;
const shown = ({ top, bottom }) => String(Number(top) / Number(bottom));

const smaller = (a, b) => (a < b ? a : b);
const larger = (a, b) => (a > b ? a : b);
const notBelowZero = (count) => larger(count, 0n);

// ── Tokens (TOK) ─────────────────────────────────────────────────────────────────────────────────────────────────

/** What filled the window. Written to the cache is a share of the input, reasoning of the output: not added again. */
const tokenTotal = (usage) => usage.input + usage.cache_read + usage.output;

/** A cost: nine tenths of what came from the cache is taken off. */
const billingEquivalent = (inputWithCache, cacheRead) => notBelowZero(inputWithCache - (9n * cacheRead) / 10n);

/** A placeholder of zeros measures nothing. */
const isMeasurement = (usage) => tokenTotal(usage) > 0n || usage.cache_write > 0n || usage.reasoning > 0n;

function codePoints(text) {
  let count = 0n;
  for (const _ of text) count += 1n;
  return count;
}

function estimateTokens(text, rounding, charactersPerToken) {
  const { top, bottom } = charactersPerToken;
  const tokens = codePoints(text) * bottom; // the tokens are this, divided by top
  return rounding === "up" ? (tokens + top - 1n) / top : (2n * tokens + top) / (2n * top);
}

const windowHeld = (lastUsage, appendedText, charactersPerToken) =>
  (lastUsage && isMeasurement(lastUsage) ? tokenTotal(lastUsage) : 0n)
  + estimateTokens(appendedText, "up", charactersPerToken);

// ── Trigger (TRG) ────────────────────────────────────────────────────────────────────────────────────────────────

const OUTPUT_CAP = 32_000n;

/** Room for the answer: the longest one, at most the cap; the cap where none is stated. */
const roomForAnswer = (limits, cap = OUTPUT_CAP) => smaller(limits.max_output_tokens || cap, cap);

/** The window less room for the answer, at most the model's separate limit of the input where it states one. */
function usableContext(limits, cap = OUTPUT_CAP) {
  const beside = notBelowZero(limits.context_window - roomForAnswer(limits, cap));
  return smaller(beside, limits.max_input_tokens || beside);
}

/** The usable context of limits that can be judged by. A window of 0 is no limit, not a small one. */
function requireRoom(limits) {
  const usable = usableContext(limits);
  if (usable === 0n && limits.context_window > 0n) {
    refuse(`no room beside the answer: window ${limits.context_window}, reserved ${roomForAnswer(limits)}`);
  }
  return usable;
}

/** What the two codelets compared with their thresholds: a cost figure. */
const asBilled = (usage) => billingEquivalent(usage.input + usage.cache_read, usage.cache_read);

/** What the share of the proactive profile is taken of. */
const shareBase = (given) => (given.basis === "usable" ? usableContext(given) : given.context_window);

/**
 * A profile: its threshold, how tokens held are compared with it, what a usage counts, and whether it is measured
 * against the usable context, so that a conversation can be said to overflow it.
 */
const profile = (threshold, { due = ">", measure = tokenTotal, withinUsable = false } = {}) =>
  ({ threshold, due, measure, withinUsable });

export const profiles = {
  "usable": profile((given) => usableContext(given), { withinUsable: true }),
  "opencode-2025": profile((given) => usableContext(given), {
    withinUsable: true,
    measure: (usage) => notBelowZero(tokenTotal(usage) - usage.cache_write),
  }),
  "codelet-typescript": profile((given) => (given.context_window * 9n) / 10n, { measure: asBilled }),
  "codelet-rust": profile((given) => (notBelowZero(given.context_window - 50_000n) * 9n) / 10n, { measure: asBilled }),
  "proactive": profile(
    (given) => smaller((shareBase(given) * given.share.top) / given.share.bottom, usableContext(given)),
    { withinUsable: true },
  ),
  "anthropic-sdk": profile(() => 100_000n, { due: ">=" }),
  "windowing": profile(() => 80_000n),
  "claude-code-2.0": profile((given) => given.context_window - 32_000n - 13_000n, { due: ">=" }),
  "claude-code-2.1": profile((given) => given.context_window - 20_000n - 13_000n, { due: ">=" }),
};

function threshold(given) {
  if (!isWithin(given.share, 1n)) {
    refuse(`a share of ${shown(given.share)}: it has to be above 0 and at most 1`);
  }
  const usable = requireRoom(given);
  if (given.context_window === 0n) return 0n;
  const tokens = given.user_threshold === null
    ? profiles[given.profile].threshold(given)
    : smaller(userThreshold(given.user_threshold, given), usable);
  if (tokens <= 0n) {
    refuse(`${given.profile} comes to a threshold of ${tokens} for a context window of ${given.context_window}`);
  }
  return tokens;
}

/** What the user set: tokens, or a percentage of the window. */
function userThreshold({ tokens, percent }, limits) {
  if (percent === undefined) return tokens;
  if (!isWithin(percent, 100n)) {
    refuse(`a threshold of ${shown(percent)}% of the window: it has to be above 0% and at most 100%`);
  }
  return (limits.context_window * percent.top) / (percent.bottom * 100n);
}

function shouldCompact(given) {
  const { due: comparison, measure } = profiles[given.profile];
  const limit = threshold(given);
  const held = given.usage === null ? given.held : measure(given.usage);
  const stopped = given.disabled ? "disabled"
    : given.context_window === 0n ? "no limit"
    : given.empty ? "nothing to compact"
    : null;
  const due = stopped === null && (comparison === ">" ? held > limit : held >= limit);
  return { due, reason: due ? whyDue(given, held, limit) : stopped ?? "under threshold", held, threshold: limit };
}

/** Why, in words: that it overflows comes first, then the share, then the threshold with its comparison. */
function whyDue(given, held, limit) {
  const { due, withinUsable } = profiles[given.profile];
  const usable = usableContext(given);
  if (withinUsable && held > usable) return `overflow (${held} > ${usable})`;
  if (given.profile === "proactive" && given.user_threshold === null) {
    const base = shareBase(given);
    return `proactive (${(200n * held + base) / (2n * base)}% of ${base})`; // rounded half up
  }
  return `threshold (${held} ${due} ${limit})`;
}

const summarizationBudget = (window, buffer) => (window <= buffer ? (window * 4n) / 5n : window - buffer);

const windowFilled = (held, limit) => (limit === 0n ? 0n : (100n * held) / limit);

// ── Forms: what an input must look like, and what it is read as ──────────────────────────────────────────────────

/** A number of JSON before anybody has decided what it is: the digits as they are written. */
class Written {
  constructor(digits) {
    this.digits = digits;
  }

  toJSON() {
    return Number(this.digits);
  }
}

/** A form reads a value, or says at which place it found what, and what it wants there. */
const form = (test, read, wanted) => (value, place) =>
  (test(value) ? read(value) : invalid(`${place} is ${JSON.stringify(value)}; it should be ${wanted}`));

const isNumber = (value) => value instanceof Written;
const same = (value) => value;

const tokens = form(
  (value) => isNumber(value) && /^\d+$/.test(value.digits), (value) => BigInt(value.digits), "a whole number from 0",
);
const number = form(isNumber, (value) => fraction(value.digits), "a number");
const ratio = form(
  (value) => isNumber(value) && fraction(value.digits).top > 0n, (value) => fraction(value.digits), "a number above 0",
);
const text = form((value) => typeof value === "string", same, "a text");
const flag = form((value) => typeof value === "boolean", same, "true or false");
const oneOf = (...names) => form((value) => names.includes(value), same, `one of ${names.join(", ")}`);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !isNumber(value);
const object = form(isObject, same, "an object");
const orNull = (inner) => (value, place) => (value === null ? null : inner(value, place));

/** A field that may be left out, and what it is then. */
const optional = (inner, standard) => Object.assign((value, place) => inner(value, place), { standard });

/** An object with these fields and no others. */
const record = (fields) => (value, place) => {
  for (const name of Object.keys(object(value, place))) {
    if (!Object.hasOwn(fields, name)) invalid(`${place}.${name} is no field here; leave it out`);
  }
  return Object.fromEntries(Object.entries(fields).map(([name, inner]) => {
    if (Object.hasOwn(value, name)) return [name, inner(value[name], `${place}.${name}`)];
    if (!("standard" in inner)) invalid(`${place}.${name} is missing; give it a value`);
    return [name, inner.standard];
  }));
};

const usage = record({
  input: tokens,
  cache_read: optional(tokens, 0n),
  output: optional(tokens, 0n),
  cache_write: optional(tokens, 0n),
  reasoning: optional(tokens, 0n),
});

const limits = {
  context_window: tokens, max_output_tokens: optional(tokens, 0n), max_input_tokens: optional(tokens, 0n),
};

const inTokens = record({ tokens });
const inPercent = record({ percent: number });
const inEither = (value, place) =>
  (Object.hasOwn(object(value, place), "percent") ? inPercent(value, place) : inTokens(value, place));

const thresholdFields = {
  ...limits,
  profile: optional(oneOf(...Object.keys(profiles)), "usable"),
  share: optional(number, fraction("0.92")),
  basis: optional(oneOf("usable", "window"), "usable"),
  user_threshold: optional(orNull(inEither), null),
};

const exactlyOneOf = (given, one, other) =>
  ((given[one] === null) === (given[other] === null) ? invalid(`give exactly one of ${one} and ${other}`) : given);

// ── The operations: the form of the input, and what is done with it ──────────────────────────────────────────────

const estimateFields = { characters_per_token: optional(ratio, fraction("4")) };

export const operations = {
  token_total: [record({ usage }), (given) => tokenTotal(given.usage)],
  billing_equivalent: [
    record({ input_with_cache: tokens, cache_read: optional(tokens, 0n) }),
    (given) => billingEquivalent(given.input_with_cache, given.cache_read),
  ],
  estimate_tokens: [
    record({ text, rounding: optional(oneOf("up", "half_up"), "up"), ...estimateFields }),
    (given) => estimateTokens(given.text, given.rounding, given.characters_per_token),
  ],
  window_held: [
    record({ last_usage: orNull(usage), appended_text: optional(text, ""), ...estimateFields }),
    (given) => windowHeld(given.last_usage, given.appended_text, given.characters_per_token),
  ],
  usable_context: [
    record({ ...limits, output_cap: optional(tokens, OUTPUT_CAP) }),
    (given) => usableContext(given, given.output_cap),
  ],
  threshold: [record(thresholdFields), threshold],
  should_compact: [
    record({
      ...thresholdFields,
      usage: optional(orNull(usage), null),
      held: optional(orNull(tokens), null),
      disabled: optional(flag, false),
      empty: optional(flag, false),
    }),
    (given) => shouldCompact(exactlyOneOf(given, "usage", "held")),
  ],
  summarization_budget: [
    record({ context_window: tokens, autocompact_buffer: optional(tokens, 50_000n) }),
    (given) => summarizationBudget(given.context_window, given.autocompact_buffer),
  ],
  window_filled: [record({ held: tokens, threshold: tokens }), (given) => windowFilled(given.held, given.threshold)],
};

// ── JSON with numbers as they are written ────────────────────────────────────────────────────────────────────────

const ESCAPE_QUOTE_OR_NUMBER = /\\.|"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * JSON.parse rounds numbers to binary fractions before anybody can look at them. So each number goes through it as a
 * text that begins with #, and each text, the names of fields too, as one that begins with =.
 */
function readJson(line) {
  JSON.parse(line); // throws for what is no JSON
  let inText = false;
  const marked = line.replace(ESCAPE_QUOTE_OR_NUMBER, (met) => {
    if (met === '"') inText = !inText;
    return inText ? (met === '"' ? '"=' : met) : (met === '"' ? met : `"#${met}"`);
  });
  return JSON.parse(marked, (_, value) => {
    if (typeof value === "string") return value[0] === "#" ? new Written(value.slice(1)) : value.slice(1);
    return isObject(value) ? unmarked(value) : value;
  });
}

const unmarked = (fields) => Object.fromEntries(Object.entries(fields).map(([name, one]) => [name.slice(1), one]));

function writeJson(value) {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${writeJson(one)}`).join(", ")}}`;
}

// ── The protocol: a line of JSON in, a line of JSON out ──────────────────────────────────────────────────────────

/** The answer to one line; whatever is on it, there is an answer. */
export function answer(line) {
  let id = null;
  try {
    const request = parse(line);
    id = request.id;
    if (!Object.hasOwn(operations, request.operation)) {
      throw new Problem("unknown_operation", `there is no operation ${request.operation} here`);
    }
    const [read, perform] = operations[request.operation];
    return writeJson({ id, output: perform(read(request.input, "input")) });
  } catch (error) {
    const kind = error instanceof Problem ? error.kind : "internal_error"; // a fault of this program
    return writeJson({ id, error: { kind, message: error.message } });
  }
}

function parse(line) {
  let request;
  try {
    request = readJson(line);
  } catch {
    invalid("the line is no JSON; write one object on one line");
  }
  const { id } = object(request, "the line");
  if (typeof id !== "string" && !isNumber(id)) invalid("the request has no id that is a number or a text");
  return { ...request, id: isNumber(id) ? tokens(id, "id") : id };
}

export async function serve() {
  let rest = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) {
    const lines = chunk.split("\n");
    lines[0] = rest + lines[0];
    rest = lines.pop();
    for (const line of lines) process.stdout.write(`${answer(line)}\n`);
  }
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await serve();

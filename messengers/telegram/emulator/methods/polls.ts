import { pollOf } from "../drafts.ts";
import { decoded, fieldsOf, itemsOf } from "../fields.ts";
import type { Marked } from "../formatting/marked.ts";
import { normalized } from "../formatting/normalized.ts";
import { readText } from "../formatting/reading.ts";
import { Malformed } from "../refusal.ts";
import { changed } from "../rooms.ts";
import type { Content, Poll } from "../wire.ts";
import { fitting, readMarkup } from "./markup.ts";
import { postOne } from "./posting.ts";
import type { BotRequest, Method } from "./request.ts";
import { messageOf, targetOf } from "./targets.ts";

// https://core.telegram.org/bots/api#sendpoll
const MAX_QUESTION = 300;
const MAX_OPTION = 100;
const MAX_OPTIONS = 12;

const readWith = (text: string | undefined, mode: string | undefined, entities: unknown): Marked =>
  readText({ text: text ?? "", mode, entities });

function optionOf(value: unknown): Marked {
  if (typeof value === "string") return { text: value, entities: [] };
  const fields = fieldsOf(value, "Expected InputPollOption to be an Object");
  return readWith(fields.text("text"), fields.optionalText("text_parse_mode"), fields.raw("text_entities"));
}

interface Asked {
  question: Marked;
  options: Marked[];
}

function readPoll({ args, raw }: BotRequest): Asked {
  const question = readWith(args.question, args.question_parse_mode, raw.get("question_entities"));
  const given = decoded(raw.get("options") ?? "", "Can't parse options JSON object");
  return { question, options: itemsOf(given, "InputPollOption", optionOf) };
}

function pollContent({ world, args }: BotRequest, asked: Asked): Content {
  const question = checkedText(asked.question, "question", MAX_QUESTION);
  if (asked.options.length === 0) throw new Malformed("Poll must have at least one answer option");
  if (asked.options.length > MAX_OPTIONS) throw new Malformed(`Poll can't have more than ${MAX_OPTIONS} options`);
  const options = asked.options.map((each) => checkedText(each, "options", MAX_OPTION));
  const poll = pollOf(world, question, options, args.is_anonymous ?? true);
  return { poll: { ...poll, ...pollDetails(args, options.length) } };
}

function checkedText(marked: Marked, what: string, max: number): Marked {
  const kept = normalized(marked);
  if (kept.text === "") throw new Malformed("Text must be non-empty");
  if ([...kept.text].length > max) throw new Malformed(`Poll ${what} length must not exceed ${max}`);
  return { text: kept.text, entities: kept.entities.filter(({ type }) => type === "custom_emoji") };
}

function pollDetails(args: BotRequest["args"], count: number): Partial<Poll> {
  const isQuiz = args.type === "quiz";
  if (isQuiz) checkCorrect(args.correct_option_ids ?? [], count);
  return {
    type: isQuiz ? "quiz" : "regular",
    allows_multiple_answers: args.allows_multiple_answers ?? false,
    allows_revoting: args.allows_revoting ?? !isQuiz,
    members_only: args.members_only ?? false,
    is_closed: args.is_closed ?? false,
    ...(isQuiz && { correct_option_ids: args.correct_option_ids ?? [] }),
    ...(isQuiz && args.explanation && { explanation: args.explanation }),
    ...(args.description && { description: args.description }),
    ...(args.open_period && { open_period: args.open_period }),
    ...(args.close_date && { close_date: args.close_date }),
  };
}

function checkCorrect(ids: readonly number[], count: number): void {
  if (ids.length === 0) throw new Malformed("Correct quiz option list must be non-empty");
  if (ids.some((id, at) => at > 0 && id <= (ids[at - 1] ?? 0)))
    throw new Malformed("Correct quiz option list must be increasing");
  if (ids.some((id) => id < 0 || id >= count)) throw new Malformed("Wrong quiz correct_option_id");
}

const sendPoll: Method = (request) => {
  const asked = readPoll(request);
  if (!["", "regular", "quiz"].includes(request.args.type ?? ""))
    throw new Malformed("Unsupported poll type specified");
  return postOne(request, "polls", () => pollContent(request, asked));
};

const stopPoll: Method = (request) => {
  const { world, bot, args, raw } = request;
  const markup = readMarkup(raw.get("reply_markup"));
  const target = targetOf(request);
  const { room } = target;
  const found = messageOf(room, args.message_id, () => new Malformed("Message with poll to stop not found"));
  const { poll } = found.message;
  if (!poll) throw new Malformed("Message is not a poll");
  if (found.author !== bot.id || found.hadKeyboard) throw new Malformed("Poll can't be stopped");
  if (poll.is_closed) throw new Malformed("Poll has already been closed");
  const inline = fitting(markup, { ...target, world, onlyInline: true });
  const { reply_markup: _, ...rest } = found.message;
  found.message = {
    ...rest,
    poll: { ...poll, is_closed: true },
    ...(inline?.kind === "inline" && { reply_markup: { inline_keyboard: inline.rows } }),
  };
  changed(world, room);
  return structuredClone(found.message.poll);
};

export const pollMethods: Record<string, Method> = { sendPoll, stopPoll };

import { cutText } from "../../../domain/split.ts";

/** Longest payload of a button, characters. */
const MAX_PAYLOAD = 1_000;

/** A payload of ours: the word tells it from a phone number or an address that the customer gave. */
export const payloadOf = (text: string): string => cutText(`say:${text}`, MAX_PAYLOAD);

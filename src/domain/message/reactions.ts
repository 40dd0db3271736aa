import { inLanguages } from "../channel/catalog.ts";

const WORDS = inLanguages(
  { reacted: "The customer reacted with {emoji}" },
  {
    es: { reacted: "El cliente reaccionó con {emoji}" },
    ru: { reacted: "Реакция клиента: {emoji}" },
  },
);

/** Without the presentation selector and the skin, which some senders add and others leave out. */
const bare = (emoji: string) => emoji.replace(/[\u{FE0F}\u{1F3FB}-\u{1F3FF}]/gu, "");

/** The reaction as the dictionary writes it; undefined: it has none like it. */
export const listedReaction = (emoji: string, dictionary: readonly string[]): string | undefined =>
  dictionary.includes(emoji) ? emoji : dictionary.find((each) => bare(each) === bare(emoji));

/** What an agent reads of a reaction that the channel has not announced. */
export const reactionText = (emoji: string, language: keyof typeof WORDS): string => WORDS[language].reacted({ emoji });

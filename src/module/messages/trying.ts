import { createLiveTests, type LiveTestParts, type LiveTests } from "../health/live-tests.ts";
import { createRehearsals, type RehearsalParts, type Rehearsals } from "./rehearsals.ts";
import { createStories, type MessageStories } from "./stories.ts";

/** What the account pages use to search, test and rehearse messages. */
export interface Trying {
  stories: MessageStories;
  liveTests: LiveTests;
  rehearsals: Rehearsals;
}

type Parts = Omit<LiveTestParts & RehearsalParts, "stories">;

export function createTrying(parts: Parts): Trying {
  const stories = createStories(parts);
  const liveTests = createLiveTests({ ...parts, stories });
  return { stories, liveTests, rehearsals: createRehearsals({ ...parts, stories }) };
}

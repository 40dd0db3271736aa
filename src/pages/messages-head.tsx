import { PageHead } from "gangway-ui/page-head";
import { Segments } from "gangway-ui/segments";
import type { Frame } from "./props.ts";

type Props = Frame & { current: "dead" | "held" | "search" };

/** Head of the message pages: dead and held messages, and the search. */
export function MessagesHead({ t, home, visit, current }: Props) {
  const { dead, held } = visit?.ended ?? { dead: 0, held: 0 };
  const at = `${home}/undelivered?state=`;
  return (
    <>
      <PageHead label={t.looks.crumbs} title={t.looks.sections.messages} />
      <Segments
        label={t.undelivered.states}
        segments={[
          { text: t.undelivered.state.dead({ count: dead }), href: `${at}dead`, isCurrent: current === "dead" },
          { text: t.undelivered.state.held({ count: held }), href: `${at}held`, isCurrent: current === "held" },
          { text: t.stories.link, href: `${home}/messages`, isCurrent: current === "search" },
        ]}
      />
    </>
  );
}

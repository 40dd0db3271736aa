import { listText } from "gangway-messenger/language";
import { Glyph } from "gangway-ui/glyph";
import { PageHead } from "gangway-ui/page-head";
import { Tile } from "gangway-ui/tile";
import { Layout } from "./layout.tsx";
import { type AccountProps, type Frame, type PartFrame, titleIn } from "./props.ts";

interface GalleryProps extends Frame {
  view: Pick<AccountProps, "kinds">;
}

/** What can be connected, each with its promise, and then what each can do. */
export function GalleryPage({ view, ...frame }: GalleryProps) {
  const { t, home } = frame;
  return (
    <Layout {...frame} title={t.account.add}>
      <PageHead
        label={t.looks.crumbs}
        crumbs={[{ text: t.looks.sections.channels, href: home }]}
        title={t.account.where}
      />
      <Gallery t={t} home={home} kinds={view.kinds} />
    </Layout>
  );
}

/** The messengers that can be connected; what each can do stands below, side by side. */
export function Gallery({ t, home, kinds }: Pick<AccountProps, "kinds"> & PartFrame) {
  return (
    <>
      <ul class="tiles" aria-label={t.account.add}>
        {kinds.map(({ kind, title, glyph, about, variant }) => (
          <li>
            <Tile
              href={`${home}/add/${encodeURIComponent(kind)}${variant ? `/as/${variant.name}` : ""}`}
              glyph={<Glyph shape={glyph} />}
              title={titleIn(t, title)}
              promise={about && firstSentence(about[t.language])}
            />
          </li>
        ))}
      </ul>
      <details class="card">
        <summary>{t.account.compare}</summary>
        <dl class="facts">
          {kinds.map(({ title, abilities }) => (
            <div>
              <dt>{titleIn(t, title)}</dt>
              <dd>
                {listText(
                  t.language,
                  abilities.map((ability) => t.abilities[ability]),
                )}
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}

const firstSentence = (text: string) => text.split(/(?<=[.!?])\s/u)[0];

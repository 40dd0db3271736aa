import { Glyph } from "gangway-ui/glyph";
import { PageHead } from "gangway-ui/page-head";
import { Tile } from "gangway-ui/tile";
import { Layout } from "./layout.tsx";
import { type Ability, type AccountProps, type Frame, type PartFrame, titleIn } from "./props.ts";

interface GalleryProps extends Frame {
  view: Pick<AccountProps, "kinds">;
}

/** What can be connected, each with a short description, followed by a comparison. */
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

/** Tiles of the messengers that can be connected, and a comparison of their abilities. */
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
        <Comparison t={t} kinds={kinds} />
      </details>
    </>
  );
}

const firstSentence = (text: string) => text.split(/(?<=[.!?])\s/u)[0];

/** Compares the messengers' abilities side by side. */
function Comparison({ t, kinds }: Pick<AccountProps, "kinds"> & Pick<PartFrame, "t">) {
  const abilities = Object.keys(t.abilities) as Ability[];
  return (
    <section class="wide" tabindex={0} aria-label={t.account.compare}>
      <table class="comparison">
        <thead>
          <tr>
            <td />
            {abilities.map((ability) => (
              <th scope="col">{t.abilities[ability]}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kinds.map((kind) => (
            <tr>
              <th scope="row">{titleIn(t, kind.title)}</th>
              {abilities.map((ability) =>
                kind.abilities.includes(ability) ? <td data-head={t.abilities[ability]}>✓</td> : <td />,
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

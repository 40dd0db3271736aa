import { Layout } from "./layout.tsx";
import type { Strings } from "./props.ts";

interface Props {
  t: Strings;
  moduleName: string;
  title: string;
  text: string;
}

export function MessagePage({ t, moduleName, title, text }: Props) {
  return (
    <Layout t={t} moduleName={moduleName} title={title}>
      <section class="card narrow">
        <h1>{title}</h1>
        <p>{text}</p>
        <p>
          <a class="button" href="/">
            {t.toStart}
          </a>
        </p>
      </section>
    </Layout>
  );
}

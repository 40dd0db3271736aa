import { Alert } from "gangway-ui/alert";
import { Console, type ConsoleFrame } from "./frame.tsx";

export const SignInPage = ({ problem, ...frame }: ConsoleFrame & { problem?: string }) => (
  <Console {...frame} title="Sign in">
    <section class="card">
      <h1>Sign in to the console</h1>
      {problem && (
        <Alert tone="danger" role="alert">
          {problem}
        </Alert>
      )}
      <form method="post" action="/sign-in">
        <input type="hidden" name="to" value={frame.path} />
        <label for="token">The console's token (CONSOLE_TOKEN)</label>
        <input id="token" name="token" type="password" autocomplete="current-password" required />
        <button type="submit" class="button primary">
          Sign in
        </button>
      </form>
    </section>
  </Console>
);

/** Shown if the server has just started, or its database does not answer. */
export const NotYetPage = (frame: ConsoleFrame) => (
  <Console {...frame} title="Accounts">
    <section class="card">
      <h1>The figures are not read yet</h1>
      <p>
        They are read once a minute. <a href="/accounts">Try again</a>
      </p>
    </section>
  </Console>
);

export const NothingHerePage = (frame: ConsoleFrame) => (
  <Console {...frame} title="Not found">
    <section class="card">
      <h1>There is nothing here</h1>
      <p>
        <a href="/accounts">To the accounts</a>
      </p>
    </section>
  </Console>
);

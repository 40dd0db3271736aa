interface Props {
  action: string;
  formToken: string;
  label: string;
  style?: string;
}

/** A form that is one button. */
export function SmallForm({ action, formToken, label, style }: Props) {
  return (
    <form method="post" action={action} class="small">
      <input type="hidden" name="formToken" value={formToken} />
      <button type="submit" class={`button ${style ?? ""}`}>
        {label}
      </button>
    </form>
  );
}

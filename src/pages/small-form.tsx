interface Props {
  action: string;
  formToken: string;
  label: string;
  style?: string;
  /** Tells the button apart if a page has several with the same label. */
  of?: string;
  /** Additional hidden fields, by name. */
  fields?: Record<string, string>;
}

/** A form with a single button. */
export function SmallForm({ action, formToken, label, style, of, fields = {} }: Props) {
  return (
    <form method="post" action={action} class="small">
      <input type="hidden" name="formToken" value={formToken} />
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={`button ${style ?? ""}`} aria-label={of && `${label}: ${of}`}>
        {label}
      </button>
    </form>
  );
}

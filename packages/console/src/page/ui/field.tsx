import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: ComponentChildren;
  readonly type?: 'number' | 'date';
  readonly placeholder?: string;
  readonly rows?: number;
  readonly required?: boolean;
  readonly min?: number;
  readonly autoFocus?: boolean;
  onInput(value: string): void;
}

/** A labelled text field, with several lines if `rows` is given. */
export function Field({ label, hint, rows, onInput, ...rest }: FieldProps) {
  const id = useId();
  const props = {
    ...rest,
    id,
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    spellcheck: false,
    autocomplete: 'off',
    onInput: (event: Event) => onInput((event.target as HTMLInputElement).value),
  } as const;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input {...(props as InputHTMLAttributes<HTMLInputElement>)} />
      ) : (
        <textarea {...props} rows={rows} />
      )}
      {hint !== undefined && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: Readonly<Record<Value, string>>;
  readonly onChange: (value: NoInfer<Value>) => void;
}

export function Select<Value extends string>({
  label,
  value,
  options,
  onChange,
}: SelectProps<Value>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select {...{ id, value }} onChange={(event) => onChange(event.currentTarget.value as Value)}>
        {Object.entries<string>(options).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface ChoicesProps<Value extends string> {
  readonly legend: string;
  readonly options: readonly Value[];
  readonly chosen: readonly Value[];
  onChange(chosen: Value[]): void;
}

/** Checkboxes. */
export const Choices = <Value extends string>({
  legend,
  options,
  chosen,
  onChange,
}: ChoicesProps<Value>) => (
  <fieldset class="choices">
    <legend>{legend}</legend>
    {options.map((option) => (
      <label key={option}>
        <input
          type="checkbox"
          checked={chosen.includes(option)}
          onChange={({ currentTarget: { checked } }) =>
            onChange(options.filter((one) => (one === option ? checked : chosen.includes(one))))
          }
        />
        {option}
      </label>
    ))}
  </fieldset>
);

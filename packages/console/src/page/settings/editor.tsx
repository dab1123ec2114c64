import type { ComponentChildren } from 'preact';
import { Button } from '../ui/button.js';
import { Busy, Failure, Notice } from '../ui/notice.js';
import type { Draft } from './draft.js';

interface EditorProps<Rule> {
  readonly draft: Draft<Rule>;
  readonly about: ComponentChildren;
  /** Above the rules. */
  readonly head?: ComponentChildren;
  readonly none: string;
  readonly add: string;
  readonly fresh: Rule;
  /** A consequence of saving that must not be overlooked. */
  readonly warning?: string | undefined;
  readonly children?: ComponentChildren;
  render(rule: Rule, change: (changed: Partial<Rule>) => void): ComponentChildren;
  explain(rule: Rule): string;
}

/** A list of rules, with the meaning of each in words. */
export function Editor<Rule extends object>({
  draft,
  about,
  head,
  none,
  add,
  fresh,
  warning,
  children,
  render,
  explain,
}: EditorProps<Rule>) {
  const { saved, rules, round, isChanged, isOutdated, isSaving, isSaved, error } = draft;
  if (saved.error !== undefined) return <Failure error={saved.error} retry={saved.reload} />;
  if (saved.value === undefined) return <Busy />;
  return (
    <div class="editor">
      <p class="hint">{about}</p>
      {head}
      {rules.length === 0 && <p class="none">{none}</p>}
      <ol class="rules">
        {rules.map((rule, at) => (
          <li key={`${round}-${at}`} class="card">
            <p class="explained">
              <strong>{explain(rule)}</strong>
            </p>
            {render(rule, (changed) => draft.replace(at, changed))}
            <footer>
              <Button icon="trash" class="small" onClick={() => draft.remove(at)}>
                Remove rule {at + 1}
              </Button>
            </footer>
          </li>
        ))}
      </ol>
      <p>
        <Button icon="plus" onClick={() => draft.add(fresh)}>
          {add}
        </Button>
      </p>
      {children}
      {warning !== undefined && isChanged && <Notice kind="warning">{warning}</Notice>}
      {isOutdated && (
        <Notice kind="warning">
          These rules were changed elsewhere in the meantime. Saving replaces those changes.
        </Notice>
      )}
      {error !== undefined && <Failure error={error} />}
      {isSaved && !isChanged && <Notice kind="good">Saved.</Notice>}
      {isChanged && (
        <div class="save-bar">
          <span>Unsaved changes</span>
          <Button onClick={draft.discard}>Discard</Button>
          <Button kind="primary" disabled={isSaving} onClick={() => void draft.save()}>
            {isSaving ? 'Saving…' : 'Save'}
          </Button>
        </div>
      )}
    </div>
  );
}

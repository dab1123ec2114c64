import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { errorText } from '../words.js';
import { Button, IconButton } from './button.js';
import { Notice } from './notice.js';

interface DialogProps {
  readonly title: string;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
  onClose(): void;
}

/** A dialog. The browser keeps the focus inside, closes it with Escape, and restores the focus. */
export function Dialog({ title, wide = false, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const isLeaving = useRef(false);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      isLeaving.current = true;
      element?.close(); // The focus returns to its previous place.
    };
  }, []);
  // A dialog that is replaced by another one must not close that one.
  const closed = () => isLeaving.current || onClose();
  return (
    <dialog ref={dialog} class={wide ? 'wide' : ''} aria-labelledby={id} onClose={closed}>
      <header>
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}

interface AskProps {
  readonly title: string;
  /** The label of the button, such as `Delete` or `Create`. */
  readonly action: string;
  readonly kind?: 'primary' | 'danger';
  readonly children: ComponentChildren;
  readonly disabled?: boolean;
  onClose(): void;
  /** The dialog closes when it resolves, and shows a failure. */
  run(): Promise<void>;
}

/** A dialog with an action and Cancel. */
export function Ask({
  title,
  action,
  kind = 'primary',
  children,
  disabled,
  onClose,
  run,
}: AskProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await run();
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        {error !== undefined && <Notice kind="bad">{errorText(error)}</Notice>}
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind={kind} disabled={isBusy || disabled === true}>
            {isBusy ? 'One moment…' : action}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

import { useState } from 'preact/hooks';
import { Button, IconButton } from '../ui/button.js';
import { Icon } from '../ui/icons.js';
import { nameOf, plural, sizeText } from '../words.js';
import { ReplaceFiles } from './replace-files.js';
import { isUnderWay, queue, type Transfer, useTransfers } from './upload-queue.js';

/** The progress of the uploads on this page. */
export function UploadPanel({ loginUrl }: { readonly loginUrl?: string | undefined }) {
  const transfers = useTransfers();
  // On a phone, the list would cover the files.
  const [isOpen, setOpen] = useState(() => matchMedia('(min-width: 46rem)').matches);
  if (transfers.length === 0) return null;
  const left = transfers.filter(isUnderWay).length;
  const failed = transfers.filter(({ state }) => state === 'failed').length;
  const title =
    left > 0
      ? `Uploading ${plural(left, 'file')}`
      : failed > 0
        ? `${plural(failed, 'upload')} failed`
        : `${plural(transfers.length, 'file')} uploaded`;
  return (
    <section class="upload-panel" aria-label="Uploads">
      <header>
        <h2 aria-live="polite">{title}</h2>
        <Button class="small" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'}
        </Button>
        {left === 0 && (
          <Button class="small" onClick={() => queue.clear()}>
            Clear
          </Button>
        )}
      </header>
      {isOpen && (
        <ul>
          {shownOf(transfers).map((transfer) => (
            <Row key={transfer.id} {...{ transfer, loginUrl }} />
          ))}
          {transfers.length > MOST_SHOWN && (
            <li>
              <small>And {plural(transfers.length - MOST_SHOWN, 'more file')}.</small>
            </li>
          )}
        </ul>
      )}
      <ReplaceFiles transfers={transfers} />
    </section>
  );
}

/** More rows would take longer to show than small files to upload. */
const MOST_SHOWN = 100;

/** If there are too many, those that are waiting or done come last. */
function shownOf(transfers: readonly Transfer[]): readonly Transfer[] {
  if (transfers.length <= MOST_SHOWN) return transfers;
  const isQuiet = ({ state }: Transfer) => state === 'waiting' || state === 'done';
  const others = transfers.filter((one) => !isQuiet(one));
  return [...others, ...transfers.filter(isQuiet)].slice(0, MOST_SHOWN);
}

interface RowProps {
  readonly transfer: Transfer;
  readonly loginUrl: string | undefined;
}

function Row({ transfer, loginUrl }: RowProps) {
  const { id, key, file, state, loaded, problem, needsLogin } = transfer;
  const name = nameOf(key);
  const percent = file.size === 0 ? 100 : Math.floor((100 * loaded) / file.size);
  return (
    <li class={state}>
      <div class="line">
        {(state === 'done' || problem !== undefined) && (
          <Icon name={state === 'done' ? 'check' : 'alert'} />
        )}
        <span class="name" title={key}>
          {name}
        </span>
        <Actions {...{ transfer, name }} />
      </div>
      {state !== 'done' && (
        <progress aria-label={`Upload of ${name}`} max={100} value={percent}>
          {percent} %
        </progress>
      )}
      <small>
        {problem ?? describe(state, loaded, file.size)}
        {needsLogin === true && (
          <>
            {' '}
            {loginUrl !== undefined && (
              <a href={loginUrl} target="_blank" rel="noreferrer">
                Log in
              </a>
            )}{' '}
            <button type="button" class="as-link" onClick={() => queue.resume(id)}>
              Continue
            </button>
          </>
        )}
      </small>
    </li>
  );
}

function describe(state: Transfer['state'], loaded: number, size: number): string {
  if (state === 'waiting') return `Waiting · ${sizeText(size)}`;
  if (state === 'taken') return 'This file exists already.';
  if (state === 'done') return sizeText(size);
  const progress = `${sizeText(loaded)} of ${sizeText(size)}`;
  return state === 'paused' ? `Paused · ${progress}` : progress;
}

interface ActionsProps {
  readonly transfer: Transfer;
  readonly name: string;
}

const Actions = ({ transfer, name }: ActionsProps) => {
  const { id, state } = transfer;
  return (
    <>
      {state === 'running' && (
        <IconButton icon="pause" label={`Pause ${name}`} onClick={() => queue.pause(id)} />
      )}
      {state === 'paused' && (
        <IconButton icon="play" label={`Continue ${name}`} onClick={() => queue.resume(id)} />
      )}
      {state === 'failed' && (
        <IconButton icon="play" label={`Try ${name} again`} onClick={() => queue.retry(transfer)} />
      )}
      <IconButton
        icon="close"
        label={state === 'done' ? `Hide ${name}` : `Cancel ${name}`}
        onClick={() => void queue.cancel(id)}
      />
    </>
  );
};

import { hrefOf } from '../route.js';
import { visible } from '../words.js';

interface BreadcrumbProps {
  readonly bucket: string;
  /** With a slash at the end, or empty. */
  readonly folder: string;
}

/** The parents of a folder. Their names may be empty. */
export function Breadcrumb({ bucket, folder }: BreadcrumbProps) {
  if (folder === '') return null;
  const names = folder.split('/').slice(0, -1);
  return (
    <nav class="breadcrumb" aria-label="Folder">
      <ol>
        <li>
          <a href={hrefOf(bucket)}>{bucket}</a>
        </li>
        {names.map((name, at) => {
          const path = `${names.slice(0, at + 1).join('/')}/`;
          const isLast = at === names.length - 1;
          return (
            <li key={path}>
              <a href={hrefOf(bucket, 'files', path)} aria-current={isLast ? 'page' : undefined}>
                {name === '' ? '(no name)' : visible(name)}
              </a>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

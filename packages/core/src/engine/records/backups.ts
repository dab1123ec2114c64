import { singleRecord } from './kind.js';
import { isNumber, isText, listOf, shape } from './shape.js';

/** The running backups. While there is one, no removal of garbage begins. */
export interface BackupsRecord {
  readonly runs: readonly BackupRun[];
}

export interface BackupRun {
  readonly id: string;
  /** When the backup last renewed its record, by its own clock, in milliseconds since 1970. */
  readonly renewed: number;
}

export const backupsRecord = singleRecord<BackupsRecord>('s/backups', {
  name: 'the running backups',
  fits: shape<BackupsRecord>({
    runs: listOf(shape<BackupRun>({ id: isText, renewed: isNumber })),
  }),
});

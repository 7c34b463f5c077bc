import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { Observed } from './decide.ts'
import { sourceOf } from './digest/source-of.ts'
import { importOf, type Import, type ImportState } from './imports/import.ts'
import { names } from './names.ts'

/** The present of the tests. */
export const nowMs: number = Date.parse('2026-01-10T00:00:00Z')

/** A digest of sixty-four equal digits. */
export function digestOf(digit: string): string {
  return `sha256:${digit.repeat(64)}`
}

/** Name of the import of {@link digestOf}. */
export function nameOf(digit: string): string {
  return `fedora-${digit.repeat(12)}`
}

/** What an import is like. */
export interface Sketch {
  readonly state?: ImportState
  /** Day of January on which it was begun, and last used. */
  readonly day?: number
  readonly boot?: 'passed' | 'failed'
  readonly storageClass?: string
  /** Phase of the DataVolume, where the state does not tell. */
  readonly phase?: string
  readonly claimPhase?: string
}

/** Returns an import of the digest with this digit. */
export function imported(
  digit: string,
  { state = 'complete', day = 1, boot, storageClass = 'local', phase, claimPhase }: Sketch = {},
): Import {
  const name = nameOf(digit)
  const at = `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`
  const phases: Readonly<Record<ImportState, string>> = {
    complete: 'Succeeded',
    busy: 'ImportInProgress',
    waiting: 'ImportScheduled',
    broken: 'Failed',
    leaving: 'Failed',
  }
  const leaving = state === 'leaving' ? { deletionTimestamp: at } : {}
  return importOf(
    name,
    {
      dataVolume: {
        metadata: {
          name,
          namespace: 'images',
          uid: digit,
          creationTimestamp: at,
          annotations: { [names.importedDigest]: digestOf(digit) },
          ...leaving,
        },
        spec: {},
        status: { phase: phase ?? phases[state], conditions: [{ type: 'Running', status: state === 'busy' ? 'True' : 'False' }] },
      },
      claim: {
        metadata: {
          name,
          namespace: 'images',
          annotations: boot === undefined ? {} : { [names.bootResult]: boot },
          ownerReferences: [{ apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', name, uid: digit, controller: true }],
        },
        spec: { storageClassName: storageClass },
        status: { phase: claimPhase ?? 'Bound' },
      },
    },
    { nowMs, deadlineMs: 365 * 86_400_000 },
  )
}

/** What is observed, in few words. */
export interface Scene {
  /** Digit of the digest that the source has. */
  readonly digest?: string
  readonly imports?: readonly Import[]
  /** Digit of the image that the DataSource names. */
  readonly selected?: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec?: Partial<DataImportCron['spec']>
  readonly storageClass?: string
  readonly inUse?: readonly string[]
  readonly others?: Partial<Observed>
}

/** Returns a DataImportCron whose digest is not due, with all that belongs to it. */
export function observed({
  digest,
  imports = [],
  selected,
  annotations,
  spec,
  storageClass = 'local',
  inUse = [],
  others,
}: Scene): Observed {
  const cron: DataImportCron = {
    metadata: {
      name: 'fedora-cron',
      namespace: 'images',
      uid: 'u',
      annotations: {
        [names.nextCronTime]: '2026-01-11T00:00:00Z',
        ...(digest === undefined ? {} : { [names.desiredDigest]: digestOf(digest) }),
        ...annotations,
      },
    },
    spec: {
      schedule: '0 0 * * *',
      managedDataSource: 'fedora',
      template: { spec: { source: { registry: { url: 'docker://quay.io/a/b:latest' } }, storage: {} } },
      ...spec,
    },
  }
  const source = selected === undefined ? {} : { pvc: { namespace: 'images', name: nameOf(selected) } }
  return {
    cron,
    nowMs,
    source: sourceOf(cron),
    poller: undefined,
    sourceClaimUid: undefined,
    ownership: { kind: 'ours', dataSource: { metadata: { name: 'fedora', namespace: 'images' }, spec: { source } } },
    alias: undefined,
    imports: new Map(imports.map((each) => [each.name, each])),
    storageClass,
    inUse: new Set(inUse.map(nameOf)),
    boot: { vm: undefined, copy: undefined, vmi: undefined },
    strangerOf: () => undefined,
    ...others,
  }
}

import type { QmpConnection } from '../qmp/connection.ts'

/** Settings of a migration. Both sides must use the same. */
export interface MigrationSettings {
  /** Bytes per second for memory and for disks; no limit when absent. */
  readonly bandwidth?: number
  /** Maximum pause of the guest at the end. */
  readonly maxDowntimeMs: number
  /** Slows the guest down when it writes faster than the stream flows. */
  readonly autoConverge: boolean
  /** Prepares for letting the guest run on the target before all of its memory is there. */
  readonly postCopy: boolean
  /** Parallel streams of memory. Not together with post-copy, which QEMU 7.2 cannot. */
  readonly channels?: number
  readonly tls?: MigrationTls
}

/** Certificates for the streams. */
export interface MigrationTls {
  /**
   * Folder with `ca-cert.pem` and, by side, `server-cert.pem`, `server-key.pem`, `client-cert.pem`,
   * `client-key.pem`.
   */
  readonly directory: string
  /** The name that the target's certificate must have. */
  readonly targetName: string
}

/** Role of a node in a migration. */
export type Side = 'source' | 'target'

/** Id of the object that holds a side's certificates. */
export const tlsObject = 'migration-tls'

/**
 * Capabilities of a side. `return-path`, because without it the source reports "completed" for a
 * stream that the target has refused; `late-block-activate`, because a target that has all of the
 * guest but is not yet its owner must not open the disks; `pause-before-switchover` with disk
 * copies, because they must end after the guest's last write and before the target's first.
 */
export function capabilitiesOf(settings: MigrationSettings, side: Side, copiesDisks: boolean): Readonly<Record<string, boolean>> {
  return {
    events: true,
    'return-path': true,
    'late-block-activate': true,
    'pause-before-switchover': side === 'source' && copiesDisks,
    'auto-converge': side === 'source' && settings.autoConverge,
    'postcopy-ram': settings.postCopy,
    multifd: streamsOf(settings) > 1,
  }
}

/**
 * Parameters of a side. Unused ones are reset: an earlier migration of the same guest may have set
 * them.
 */
export function parametersOf(settings: MigrationSettings, side: Side): Readonly<Record<string, string | number>> {
  const streams = streamsOf(settings)
  return {
    'max-bandwidth': settings.bandwidth ?? unlimited,
    'max-postcopy-bandwidth': settings.bandwidth ?? 0,
    'downtime-limit': settings.maxDowntimeMs,
    ...(streams > 1 ? { 'multifd-channels': streams } : {}),
    'tls-creds': settings.tls === undefined ? '' : tlsObject,
    'tls-hostname': side === 'source' ? (settings.tls?.targetName ?? '') : '',
  }
}

/** QEMU's own default is 128 MiB/s. */
const unlimited = 2 ** 50

function streamsOf({ channels = 1, postCopy }: MigrationSettings): number {
  return postCopy ? 1 : channels
}

/** Tells QEMU all of it but the certificates. Can be repeated, but not while a migration runs. */
export async function configure(qmp: QmpConnection, settings: MigrationSettings, side: Side, copiesDisks: boolean): Promise<void> {
  const capabilities = Object.entries(capabilitiesOf(settings, side, copiesDisks)).map(([capability, state]) => ({ capability, state }))
  await qmp.execute('migrate-set-capabilities', { capabilities })
  await qmp.execute('migrate-set-parameters', parametersOf(settings, side))
}

/**
 * Lets QEMU read the certificates again, since those of the last migration may have expired. Not
 * while a stream uses them.
 */
export async function readCertificates(qmp: QmpConnection, tls: MigrationTls | undefined, side: Side): Promise<void> {
  if (tls === undefined) return
  if ((await objectNames(qmp)).includes(tlsObject)) await qmp.execute('object-del', { id: tlsObject })
  await qmp.execute('object-add', {
    'qom-type': 'tls-creds-x509',
    id: tlsObject,
    dir: tls.directory,
    endpoint: side === 'source' ? 'client' : 'server',
    'verify-peer': true,
  })
}

/** Names of the objects that QEMU was given. */
export async function objectNames(qmp: QmpConnection): Promise<string[]> {
  const objects = (await qmp.execute('qom-list', { path: '/objects' })) as readonly { readonly name: string }[]
  return objects.map(({ name }) => name)
}

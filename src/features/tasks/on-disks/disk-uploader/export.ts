import { randomBytes } from 'node:crypto'
import { secrets } from '#api/core/v1/resources.ts'
import { virtualMachineExports } from '#api/export/v1/resources.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import { isAlreadyExists, messageOf } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import { isOfThisRun, runAnnotations, suffixOf } from '../../objects/created-objects.ts'
import { waitForObject } from '../../objects/watch-object.ts'
import type { TaskContext } from '../../task.ts'
import { type DiskLink, diskLinks } from './disk-links.ts'
import type { Upload } from './parameters.ts'

/** Upstream's: a VM that is in use has an hour to end. */
const readyLimitMs = 3_600_000
const goneLimitMs = 300_000
/** Milliseconds for removing the export at the end, also of a run that is stopped. */
const cleanUpMs = 15_000
/** A disk of some terabytes takes hours. An export that is left over ends then. */
const ttl = '12h'
/** Longest part of a name before the suffix. */
const longestBase = 40

/** A disk that can be downloaded, until it is disposed. */
export interface OpenExport extends AsyncDisposable {
  readonly links: readonly DiskLink[]
  readonly token: string
}

type Key = Required<Pick<VirtualMachineExport['metadata'], 'namespace' | 'name'>>

/**
 * Exports the source, and waits until its disk can be downloaded. What this run made before it was
 * killed is replaced: its token is not known any more. @throws TaskFailed
 */
export async function openExport(context: TaskContext, upload: Upload): Promise<OpenExport> {
  const { client, namespace, log } = context
  const base = `disk-uploader-${upload.source.name}`.slice(0, longestBase).replace(/[-.]+$/, '')
  const key = { namespace, name: `${base}-${suffixOf(context, 'disk-uploader')}` }
  const close = (): Promise<void> => remove(client, key, log)
  await removeOwn(context, key)
  try {
    const token = await create(context, upload, key)
    const links = await waitUntilReady(context, upload, key)
    return { links, token, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Removes the export of this run's predecessor. @throws TaskFailed if it is of another run */
async function removeOwn(context: TaskContext, key: Key): Promise<void> {
  const { client, signal, log } = context
  const before = await found(client.get(virtualMachineExports, key, { signal }))
  if (before === undefined) return
  if (!isOfThisRun(context, before))
    throw new TaskFailed(exitCodes.createFailed, `There is a VirtualMachineExport ${key.name} of another run already: run it again`)
  log(`VirtualMachineExport ${key.name} is left of this run before it was killed, and is replaced`)
  await found(client.delete(virtualMachineExports, key, { signal }))
  await waitForObject(context, {
    what: `the end of VirtualMachineExport ${key.name}`,
    resource: virtualMachineExports,
    key,
    limitMs: goneLimitMs,
    check: (object) => (object === undefined ? { done: true } : { waiting: 'it is being deleted' }),
  })
}

async function create(context: TaskContext, { source }: Upload, key: Key): Promise<string> {
  const { client, signal, log } = context
  const annotations = runAnnotations(context)
  const token = randomBytes(24).toString('base64url')
  try {
    const { metadata } = await client.create(
      virtualMachineExports,
      {
        apiVersion: 'export.kubevirt.io/v1',
        kind: 'VirtualMachineExport',
        metadata: { ...key, annotations },
        spec: { source, tokenSecretRef: key.name, ttlDuration: ttl },
      },
      { signal },
    )
    const owner = { apiVersion: 'export.kubevirt.io/v1', kind: 'VirtualMachineExport', name: key.name, uid: metadata.uid ?? '' }
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...key, annotations, ownerReferences: [owner] },
      stringData: { token },
    }
    await client.create(secrets, secret, { signal }).catch(async (error: unknown) => {
      if (!isAlreadyExists(error)) throw error
      // That of an export that is gone, which is not collected yet.
      await found(client.delete(secrets, key, { signal }))
      await client.create(secrets, secret, { signal })
    })
  } catch (cause) {
    if (signal.aborted) throw cause
    throw new TaskFailed(exitCodes.createFailed, `Cannot create VirtualMachineExport ${key.name} with its token: ${messageOf(cause)}`, {
      cause,
    })
  }
  log(`Created VirtualMachineExport ${key.namespace}/${key.name} of ${source.kind} ${source.name}`)
  return token
}

function waitUntilReady(context: TaskContext, { source, volume }: Upload, key: Key): Promise<readonly DiskLink[]> {
  return waitForObject(context, {
    what: `VirtualMachineExport ${key.name}`,
    resource: virtualMachineExports,
    key,
    limitMs: readyLimitMs,
    check(vmExport) {
      if (vmExport === undefined) throw new TaskFailed(exitCodes.failed, `VirtualMachineExport ${key.name} was deleted while it was used`)
      const { phase = 'Pending', conditions = [] } = vmExport.status ?? {}
      const { reason = '', message = '' } = conditions.find(({ type }) => type === 'Ready') ?? {}
      const why = message === '' ? reason : `${reason}: ${message}`
      if (phase === 'Skipped')
        throw new TaskFailed(
          exitCodes.preconditionFailed,
          `${source.kind} ${source.name} has nothing to export (${why}): check its volumes`,
        )
      return phase === 'Ready' ? { done: diskLinks(vmExport, volume) } : { waiting: `it is ${phase}${why === '' ? '' : `, ${why}`}` }
    },
  })
}

/** Removes an export and its token. Never fails: what counts is how the task ends. */
async function remove(client: Client, key: Key, log: TaskContext['log']): Promise<void> {
  const signal = AbortSignal.timeout(cleanUpMs)
  try {
    await found(client.delete(virtualMachineExports, key, { signal }))
    await found(client.delete(secrets, key, { signal }))
  } catch (error) {
    log(`VirtualMachineExport ${key.name} is not removed, and ends after ${ttl}: ${messageOf(error)}`)
  }
}

import { rm } from 'node:fs/promises'
import { cloneFolder } from './archive/clone-folder.ts'
import { type FolderContent, fillFolder, unpackArchive, unpackedFolder } from './archive/fill-folder.ts'
import type { ContentSource } from './content.ts'
import { blankDisk } from './disk/blank-disk.ts'
import { cloneDisk } from './disk/clone-disk.ts'
import { type FillPorts, fillDisk } from './disk/fill-disk.ts'
import { publishFinished } from './disk/finish.ts'
import { openTarget, type Target } from './disk/target.ts'
import { fileFailure, ImportFailure } from './failure.ts'
import { createDownloads } from './http/download.ts'
import { createHttpClient } from './http/http-client.ts'
import { createHttpSource } from './http/http-source.ts'
import { createS3Source } from './http/s3-source.ts'
import type { Patience } from './http/watched-body.ts'
import { createArchiveReader, parseArchiveAddress } from './registry/archive-reader.ts'
import { createImageSource } from './registry/disk-in-image.ts'
import { besideBytes } from './registry/layer.ts'
import { openRegistry } from './registry/open-registry.ts'
import { readSecrets, type SecretFolders, type Secrets } from './secrets.ts'
import { createPeerSource } from './http/peer-source.ts'
import type { PeerDesk } from './server/peer-desk.ts'
import { type KeptUpload, keptUpload, type UploadDesk } from './server/uploads.ts'
import type { HttpSource, ImportResult, ImportTask, RegistrySource, S3Source } from './task/task.ts'
import type { Time } from './time.ts'

/** What a worker depends on. */
export interface WorkerPorts extends FillPorts {
  readonly time: Time
  readonly patience: Patience
  /** Tries in a row that bring nothing, after which a source is given up. */
  readonly tries: number
  readonly secrets: SecretFolders
  readonly scratch: { readonly mounted: string | undefined; readonly temporary: string }
  /** Variables such as HTTPS_PROXY. */
  readonly proxies: Readonly<Record<string, string | undefined>>
  /** Undefined: the worker has no server. */
  readonly uploads: UploadDesk | undefined
  /** Undefined: the worker has no server. */
  readonly peers?: PeerDesk | undefined
  /** Folder with the certificate of the worker. */
  readonly serving?: string
}

/**
 * Fills the volume of a task. Can be repeated after a kill at any moment: it continues what was
 * begun, and a volume that is filled stays as it is. @throws ImportFailure
 */
export async function runTask(task: ImportTask, ports: WorkerPorts): Promise<ImportResult> {
  const target = await openTarget(task, ports.scratch)
  const note = await target.note.read()
  if (note?.state === 'finished') {
    await publishFinished(target)
    if (task.contentType === 'archive' || (await target.isPublished())) return note.result
    await target.note.remove()
  }
  if (task.contentType === 'kubevirt') await target.requireEmpty()
  try {
    return await fill(task, target, ports)
  } catch (error) {
    const failure = fileFailure(error)
    if (failure instanceof ImportFailure && failure.fatal) await removeTraces(target)
    throw failure
  }
}

/** Nothing is left of a task that cannot succeed. */
async function removeTraces(target: Target): Promise<void> {
  await target.clean()
  await rm(unpackedFolder(target), { recursive: true, force: true })
  await target.note.remove()
}

/** A file that changes while it is read is read again from its start, this often. */
const mostChanges = 3

async function fill(task: ImportTask, target: Target, ports: WorkerPorts): Promise<ImportResult> {
  const { source } = task
  const isArchive = task.contentType === 'archive'
  switch (source.kind) {
    case 'blank':
      if (isArchive) return fillFolder({ fill: () => Promise.resolve() }, target, ports)
      return blankDisk(task, target, ports)
    case 'clone':
      return isArchive ? cloneFolder(source.path, target, ports) : persistently(() => cloneDisk(source, task, target, ports))
    case 'upload':
      return receiveUpload(task, target, ports)
    case 'peer':
      return persistently(() => copyFromPeer(task, target, ports))
    case 'http':
    case 's3':
    case 'registry':
      return persistently(() => fromServer(source, task, target, ports))
  }
}

async function persistently(attempt: () => Promise<ImportResult>): Promise<ImportResult> {
  for (let changes = 1; ; changes++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof ImportFailure) || error.reason !== 'SourceChanged' || changes >= mostChanges) throw error
    }
  }
}

async function fromServer(
  source: HttpSource | S3Source | RegistrySource,
  task: ImportTask,
  target: Target,
  ports: WorkerPorts,
): Promise<ImportResult> {
  const secrets = await readSecrets(ports.secrets)
  if (source.kind === 'registry') return fromRegistry(source, secrets, task, target, ports)
  const { patience, time, tries, proxies } = ports
  const insecureSkipVerify = source.kind === 'http' && source.insecureSkipVerify
  using client = createHttpClient({ authorities: secrets.authorities, insecureSkipVerify, idleMs: patience.idleMs, proxies })
  const download = createDownloads({ client, time, patience, tries })
  const content = source.kind === 'http' ? createHttpSource(source, secrets, download) : createS3Source(source, secrets, download)
  const checksum = source.kind === 'http' ? source.checksum : undefined
  return fillFrom({ source: content, checksum, stage: 'Downloading' }, task, target, ports)
}

async function fromRegistry(
  { url, architecture, insecureSkipVerify: isInsecure }: RegistrySource,
  { credentials, authorities }: Secrets,
  task: ImportTask,
  target: Target,
  ports: WorkerPorts,
): Promise<ImportResult> {
  const context = { ...ports, layerBytes: target.size.largest + besideBytes }
  if (url.startsWith('oci-archive:')) {
    const { path, version } = parseArchiveAddress(url)
    const source = createImageSource(await createArchiveReader(path), { version, isDigest: false, architecture }, context)
    return fillFrom({ source, stage: 'Copying' }, task, target, ports)
  }
  using opened = openRegistry(url, { ...ports, credentials, authorities, isInsecure })
  const source = createImageSource(opened.reader, { ...opened.reference, architecture }, context)
  return fillFrom({ source, stage: 'Downloading' }, task, target, ports)
}

/** Copies a disk that another worker serves, once the controller has said where it is. */
async function copyFromPeer(task: ImportTask, target: Target, ports: WorkerPorts): Promise<ImportResult> {
  const { peers, serving, progress, signal, time, patience, tries } = ports
  if (peers === undefined || serving === undefined || task.contentType !== 'kubevirt')
    throw new ImportFailure('TaskInvalid', 'The worker cannot copy from another one: it has no port, no certificate, or no disk', {
      fatal: false,
    })
  progress.stage('WaitingForSource')
  const peer = await peers.next(signal)
  using opened = await createPeerSource(peer, serving, { time, patience, tries })
  return fillDisk({ source: opened.source, stage: 'Copying', isDisk: true, preallocation: task.preallocation }, target, ports)
}

interface Bytes {
  readonly source: ContentSource
  readonly checksum?: string | undefined
  readonly stage: 'Downloading' | 'Uploading' | 'Copying'
  readonly onReceived?: () => void
}

/** Fills the volume with a disk, or the files of an archive, as the task says. */
function fillFrom(bytes: Bytes, task: ImportTask, target: Target, ports: FillPorts): Promise<ImportResult> {
  if (task.contentType === 'kubevirt') return fillDisk({ ...bytes, preallocation: task.preallocation }, target, ports)
  const { onReceived } = bytes
  const folder: FolderContent = {
    fill: (path) => unpackArchive(bytes, target, path, ports),
    ...(onReceived === undefined ? {} : { onReceived }),
  }
  return fillFolder(folder, target, ports)
}

/**
 * Waits for uploads until one fills the volume. A client that waits for the disk is told what is
 * wrong with its file, and may send another one; one that does not wait was told already that all
 * is well, so that the worker fails.
 */
async function receiveUpload(task: ImportTask, target: Target, ports: WorkerPorts): Promise<ImportResult> {
  const { uploads, progress, signal } = ports
  if (uploads === undefined)
    throw new ImportFailure('TaskInvalid', 'The worker cannot take uploads: it has no port and no certificate', { fatal: false })
  const note = await target.note.read()
  // The bytes are here, and their client has been told so.
  if (note?.state === 'downloaded' || note?.state === 'unpacked') {
    uploads.has(note.state === 'downloaded' ? keptUpload(note.validator, 0)?.id : undefined)
    return fillFrom({ source: noUpload, stage: 'Uploading' }, task, target, ports)
  }
  const kept = async (): Promise<KeptUpload | undefined> => {
    const left = await target.note.read()
    return left?.state === 'downloading' ? keptUpload(left.validator, left.offset) : undefined
  }
  for (;;) {
    const left = await kept()
    // Told when an upload is taken, and not refused with "under way".
    progress.stage('WaitingForUpload')
    const upload = await uploads.next(left, signal)
    try {
      // An archive is unpacked whatever path it came by, as a claim has one kind of content.
      const { source, checksum } = upload
      const result = await fillFrom({ source, checksum, stage: 'Uploading', onReceived: () => upload.received() }, task, target, ports)
      uploads.close()
      await upload.done()
      return result
    } catch (error) {
      const failure = fileFailure(error)
      if (!upload.isResumable || !(signal.aborted || isInterruption(failure))) await removeTraces(target)
      if (signal.aborted) throw error
      if (!upload.failed(failure, (await kept())?.offset ?? 0)) throw failure instanceof ImportFailure ? retryable(failure) : failure
    }
  }
}

/** The client, or the network, has stopped. What has arrived is as good as before. */
function isInterruption(failure: unknown): boolean {
  return failure instanceof ImportFailure && (failure.reason === 'SourceInterrupted' || failure.reason === 'SourceStalled')
}

/** Another upload may have a better file. */
function retryable({ reason, message }: ImportFailure): ImportFailure {
  return new ImportFailure(reason, `${message}. Upload another file`, { fatal: false })
}

const noUpload: ContentSource = {
  open: () => Promise.reject(new ImportFailure('SourceInterrupted', 'The upload is lost: upload the file again')),
}

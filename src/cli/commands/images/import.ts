import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { dataSources, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { isQuantity } from '#apimachinery/quantity.ts'
import { found } from '#client/found.ts'
import { connectChosenCluster, type ChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, type CliContext } from '#cli/context.ts'
import { followDataVolume } from '#cli/images/follow-import.ts'
import {
  defaultSize,
  importedDataSource,
  importedDataVolume,
  whyAnotherDataSource,
  whyAnotherImport,
  type ImportWish,
} from '#cli/images/image-objects.ts'
import { digestOf } from '#cli/images/image-report.ts'
import { sizeQuantity } from '#cli/images/image-size.ts'
import { parseChecksum, parseImageSource, type Checksum, type ImageSource } from '#cli/images/image-source.ts'
import { checkDigest, digestFile, readLocalImage, type DigestedImage } from '#cli/images/local-image.ts'
import { findUploadServer, uploadFile, type UploadFlags } from '#cli/images/upload-file.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { progressBar, progressOn } from '#cli/render/progress.ts'

/** Flags of imports, also of the disk of a new VM. */
export interface ImportFlags extends ClusterFlags, UploadFlags {
  readonly size?: string
  readonly storageClass?: string
  readonly namespace?: string
  readonly wait: boolean
  /** Seconds. */
  readonly timeout: number
  readonly dryRun: boolean
}

interface Flags extends ImportFlags {
  readonly checksum?: string
  readonly secret?: string
  readonly certConfigMap?: string
  readonly defaultInstancetype?: string
  readonly defaultPreference?: string
  readonly output: OutputFormat
}

/** Imports a disk image: a DataVolume, and the DataSource that VMs name. */
export async function importImage(this: CliContext, flags: Flags, name: string, text: string): Promise<void> {
  const source = parseImageSource(text)
  const checksum = checksumFor(source, flags.checksum)
  const prepared = await prepareSource(this, source, { size: flags.size, checksum })
  using cluster = await connectChosenCluster(this, flags)
  const { checksum: _, ...others } = flags
  const wish: ImportWish = {
    ...others,
    namespace: flags.namespace ?? cluster.namespace,
    name,
    source,
    size: prepared.size,
    ...(prepared.checksum === undefined ? {} : { checksum: prepared.checksum }),
  }
  const deadline = this.now() + flags.timeout * 1000
  const dataVolume = await begin(cluster, wish, flags.dryRun)
  if (flags.dryRun || (!flags.wait && prepared.image === undefined)) return show(this, flags, { wish, dataVolume })
  const followed = {
    client: cluster.client,
    key: { namespace: wish.namespace, name },
    deadline,
    remedy: `"steadyvm images rm ${name} -n ${wish.namespace}" removes it`,
  }
  if (prepared.image !== undefined) {
    const server = await findUploadServer(cluster.client, flags)
    const key = followed.key
    const { status } = await followDataVolume(this, {
      ...followed,
      holds: takesUpload,
      meanwhile: `nothing has been uploaded; the same command goes on`,
    })
    if (status?.phase === 'UploadReady') await uploadFile(this, { client: cluster.client, server, key, image: prepared.image })
  }
  const complete = flags.wait
    ? await followDataVolume(this, {
        ...followed,
        holds: hasSucceeded,
        meanwhile: `the import of "${name}" goes on in the cluster; "steadyvm images list" shows it, and the same command follows it`,
      })
    : dataVolume
  show(this, flags, { wish, dataVolume: complete })
}

/** Reports whether a DataVolume takes the bytes of a client, or has them. */
export function takesUpload({ status }: DataVolume): boolean {
  return status?.phase === 'UploadReady' || status?.phase === 'Succeeded'
}

/** Reports whether the content of a DataVolume is complete. */
export function hasSucceeded({ status }: DataVolume): boolean {
  return status?.phase === 'Succeeded'
}

/** @throws CommandError */
function checksumFor(source: ImageSource, text: string | undefined): Checksum | undefined {
  if (text === undefined) return undefined
  if (source.kind === 'registry') throw new CommandError(`--checksum is for files: name an image by its digest, as ${source.url}@sha256:…`)
  return parseChecksum(text)
}

/** A source whose bytes have been looked at, if they are on this machine. */
export interface PreparedSource {
  /** Quantity. */
  readonly size: string
  /** What is to be uploaded. */
  readonly image?: DigestedImage
  readonly checksum?: Checksum
}

/**
 * Finds the size of the disk, and the checksum of a file, before the cluster is asked for anything.
 * @throws CommandError
 */
export async function prepareSource(
  context: CliContext,
  source: ImageSource,
  { size, checksum }: { readonly size: string | undefined; readonly checksum: Checksum | undefined },
): Promise<PreparedSource> {
  if (size !== undefined && !isQuantity(size)) throw new CommandError(`--size must be a quantity such as 10Gi, and is "${size}"`)
  if (source.kind !== 'file') {
    if (size === undefined) context.process.stderr.write(`note: the disk gets ${defaultSize}; --size sets it\n`)
    return { size: size ?? defaultSize, ...(checksum === undefined ? {} : { checksum }) }
  }
  const image = await readLocalImage(source.path)
  if (size === undefined && image.virtualBytes === undefined)
    throw new CommandError(`The header of ${source.path} does not say how large its disk is: add --size`)
  using progress = progressOn(context)
  const read = await digestFile(image, checksum?.algorithm ?? 'sha256', {
    signal: context.signal,
    onBytes: (bytes) => progress.show(`${source.path}: checksum ${progressBar(bytes, image.bytes)}`),
  })
  if (checksum !== undefined) checkDigest(source.path, checksum, read)
  return { size: size ?? sizeQuantity(image.virtualBytes ?? 0n), image: { ...image, digest: read }, checksum: read }
}

/**
 * Creates what is missing of an import. The DataSource comes first: whatever ends this command,
 * `images rm` finds the image by it. @throws CommandError if the name is taken by another image
 */
async function begin({ client }: ChosenCluster, wish: ImportWish, dryRun: boolean): Promise<DataVolume> {
  const { namespace, name } = wish
  const key = { namespace, name }
  const [wantedSource, wanted] = [importedDataSource(wish), importedDataVolume(wish)]
  const [source, volume] = await Promise.all([found(client.get(dataSources, key)), found(client.get(dataVolumes, key))])
  const taken =
    (source === undefined ? undefined : whyAnotherDataSource(source, wish)) ??
    (volume === undefined ? undefined : whyAnotherImport(volume, wanted))
  if (taken !== undefined) throw new CommandError(`"${namespace}/${name}" is another image: ${taken}; choose another name, or remove it`)
  // A server that knows no checksum must refuse it, and not drop it.
  const options = { dryRun, fieldManager: 'steadyvm-images', fieldValidation: 'Strict' } as const
  if (source === undefined) await client.create(dataSources, wantedSource, options)
  return volume ?? (await client.create(dataVolumes, wanted, options))
}

function show(
  context: CliContext,
  { dryRun, output }: Flags,
  { wish, dataVolume }: { readonly wish: ImportWish; readonly dataVolume: DataVolume },
): void {
  const phase = dataVolume.status?.phase ?? 'Pending'
  const done = phase === 'Succeeded' ? `imported` : dryRun ? 'would be imported (dry run)' : `is being imported (${phase})`
  const { namespace, name } = wish
  print(context, output, {
    kind: 'ImageImport',
    document: { dryRun, namespace, name, phase, size: wish.size, digest: digestOf(dataVolume) ?? '', dataVolume: wish.name },
    names: [`datasource.cdi.kubevirt.io/${name}`],
    text: () => `datasource.cdi.kubevirt.io/${name} ${done}\n`,
  })
}

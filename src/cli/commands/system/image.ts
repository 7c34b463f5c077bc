import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { findQemu } from '#qemu/index.ts'
import { buildDemoGuest, GuestSourceMissing } from '#machine/demo-guest/build.ts'
import { buildImages } from '#machine/image/build-images.ts'
import { buildLibguestfs, libguestfsMissing } from '#machine/image/files/libguestfs.ts'
import { readConfig, readLayout } from '#oci/image/image-layout.ts'
import type { WrittenImage } from '#oci/image/write-image.ts'
import { readCredentials, type FoundCredentials } from '#oci/push/credentials.ts'
import { pushImages } from '#oci/push/push-images.ts'
import { registryAddress } from '#oci/push/registry-address.ts'
import { createRegistryClient } from '#oci/push/registry-client.ts'
import { parseImageReference } from '#machine/release/image-store.ts'
import { REGISTRY, thisRelease } from '#machine/release/release.ts'
import { demoGuestSources, DEMO_GUEST_IMAGE } from '#machine/up.ts'
import { checkedRegistry } from '#cli/arguments/registry.ts'
import { homeDirectory } from '#cli/cluster/home.ts'
import { CommandError, type CliContext } from '#cli/context.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { progressOn } from '#cli/render/progress.ts'
import { formatDuration, table } from '#cli/render/terminal.ts'
import { ownReleaseNotes, queryReleaseQemu } from '#cli/upgrade/local-releases.ts'

interface BuildFlags {
  readonly output?: string
  readonly version?: string
  readonly registry?: string
  readonly format: 'layout' | 'archive'
  readonly qemu?: string
  readonly dataDir?: string
}

/** Builds the container images of all components from this checkout. */
export async function build(this: CliContext, flags: BuildFlags): Promise<void> {
  const { root, version: own } = thisRelease()
  const { stderr, stdout, env } = this.process
  const version = flags.version ?? own
  const output = resolve(flags.output ?? `steadyvm-images-${version}`)
  const registry = checkedRegistry(flags.registry ?? REGISTRY)
  const started = this.now()
  const qemu = await queryReleaseQemu(flags.qemu === undefined ? dirname(dirname(await findQemu(env['PATH']))) : resolve(flags.qemu))
  const work = await mkdtemp(join(tmpdir(), 'steadyvm-guest-'))
  try {
    using progress = progressOn(this)
    const guest = await demoGuest(this, flags.dataDir, join(work, 'guest'))
    progress.show('building: libguestfs')
    const libguestfs = await buildLibguestfs(join(work, 'appliance'))
    if (libguestfs === undefined) stderr.write(`note: the images are without ${libguestfsMissing}\n`)
    const built = await buildImages({
      root,
      output,
      version,
      registry,
      qemu,
      facts: ownReleaseNotes,
      ...(guest === undefined ? {} : { demoGuest: guest }),
      ...(libguestfs === undefined ? {} : { libguestfs }),
      ...(env['SOURCE_DATE_EPOCH'] === undefined ? {} : { sourceDateEpoch: env['SOURCE_DATE_EPOCH'] }),
      hasArchive: flags.format === 'archive',
      onProgress: (what) => progress.show(`building: ${what}`),
    })
    progress[Symbol.dispose]()
    if (built.isDirty) stderr.write('note: the checkout has changes that are not committed; the images and their provenance say so\n')
    for (const each of built.missing) stderr.write(`note: the images are without ${each}\n`)
    const size = formatBytes(totalBytes(built.images))
    stderr.write(
      `${built.images.length} images of ${version} built in ${formatDuration(this.now() - started)}: ${size} compressed, QEMU ${qemu.version} of ${qemu.folder}\n`,
    )
    stdout.write(`${output}\n${built.archive === undefined ? '' : `${built.archive}\n`}`)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Builds the demo guest. Without its kernel, its image is left out with a note. */
async function demoGuest(
  context: CliContext,
  dataDir: string | undefined,
  folder: string,
): Promise<{ readonly tag: string; readonly folder: string } | undefined> {
  try {
    await buildDemoGuest(demoGuestSources(homeDirectory(context, dataDir), thisRelease()), folder)
  } catch (error) {
    if (!(error instanceof GuestSourceMissing)) throw error
    context.process.stderr.write(`note: there is no image of the demo guest: ${error.message}\n`)
    return undefined
  }
  return { tag: parseImageReference(DEMO_GUEST_IMAGE).version, folder }
}

interface PushFlags {
  readonly plainHttp: boolean
  readonly username?: string
  readonly passwordStdin: boolean
  readonly output: OutputFormat
}

/** Pushes the images of a layout to a registry. */
export async function push(this: CliContext, flags: PushFlags, folder: string, registry: string): Promise<void> {
  const address = registryAddress(checkedRegistry(registry), flags.plainHttp)
  const found = await credentialsOf(this, flags, address.name)
  const client = createRegistryClient({ address, found, signal: this.signal })
  const { stderr } = this.process
  using progress = progressOn(this)
  const images = await pushImages({
    folder,
    address,
    client,
    onBlob: (reference, { digest, size }) => progress.show(`${reference}: ${digest.slice(0, 19)} (${formatBytes(size)})`),
    onImage({ reference, blobs, sentBytes }) {
      progress[Symbol.dispose]()
      stderr.write(`${reference}: sent ${blobs.sent} blobs (${formatBytes(sentBytes)}), ${blobs.mounted + blobs.present} were there\n`)
    },
  })
  print(this, flags.output, {
    kind: 'PushedImages',
    document: { images },
    names: images.map(({ reference }) => reference),
    text: () => images.map(({ reference, digest }) => `${reference}@${digest}\n`).join(''),
  })
}

async function credentialsOf(context: CliContext, flags: PushFlags, registry: string): Promise<FoundCredentials> {
  const { env, stdin } = context.process
  if (flags.username === undefined && !flags.passwordStdin) return readCredentials(registry, env)
  if (flags.username === undefined || !flags.passwordStdin)
    throw new CommandError(
      '--username and --password-stdin belong together: printf %s "$PASSWORD" | steadyvm image push … --username NAME --password-stdin',
    )
  // Tools end the line that they write.
  return { credentials: { username: flags.username, password: (await readAll(stdin)).replace(/\r?\n$/, '') } }
}

/** Lists the images of a layout. */
export async function list(this: CliContext, flags: { output: OutputFormat }, folder: string): Promise<void> {
  const images = await Promise.all(
    (await readLayout(folder)).map(async ({ reference, descriptor, manifest, referrers }) => {
      const { config, created, architecture } = await readConfig(folder, manifest)
      return {
        name: reference,
        digest: descriptor.digest,
        size: manifest.layers.reduce((sum, { size }) => sum + size, manifest.config.size),
        layers: manifest.layers.length,
        user: config.User ?? '',
        architecture,
        created,
        attestations: referrers.map((each) => each.manifest.artifactType ?? ''),
      }
    }),
  )
  print(this, flags.output, {
    kind: 'ImageList',
    document: { items: images },
    names: images.map(({ name }) => name),
    text: (isWide) =>
      table([
        ['NAME', 'SIZE', 'DIGEST', ...(isWide ? ['USER', 'LAYERS', 'ARCHITECTURE', 'CREATED', 'ATTESTATIONS'] : [])],
        ...images.map(({ name, size, digest, layers, user, architecture, created, attestations }) => [
          name,
          formatBytes(size),
          isWide ? digest : digest.slice(0, 19),
          ...(isWide ? [user, String(layers), architecture, created, attestations.join(',')] : []),
        ]),
      ]),
  })
}

/** Bytes of all layers, each once. */
function totalBytes(images: readonly WrittenImage[]): number {
  const sizes = new Map(images.flatMap(({ manifest }) => manifest.layers.map(({ digest, size }) => [digest, size] as const)))
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

/** Formats a size: `52.3 MB`. */
function formatBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

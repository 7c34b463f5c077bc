import { dirname } from 'node:path'
import { findQemu } from '#qemu/index.ts'
import { buildRelease } from '#machine/release-build.ts'
import { listReleases, readRelease, verifyRelease, type ReleaseManifest } from '#machine/release-directory.ts'
import { thisRelease } from '#machine/release.ts'
import type { CliContext } from '../context.ts'
import { directoryOf } from '../directory.ts'
import { seconds, table } from '../output.ts'
import { ownNotes, qemuIn } from '../releases-at-hand.ts'

/** Makes a release of this checkout, so that a cluster can be brought to it, or back from it. */
export async function build(this: CliContext, flags: { dataDir?: string; version: string; qemu?: string }): Promise<void> {
  const { releases } = directoryOf(this, flags.dataDir)
  const started = this.now()
  const qemu = await qemuIn(flags.qemu ?? dirname(dirname(await findQemu(this.process.env['PATH']))))
  const { manifest, isNew } = await buildRelease({ source: thisRelease(), releases, version: flags.version, qemu, facts: ownNotes })
  const files = Object.keys(manifest.files).length
  this.process.stderr.write(
    isNew
      ? `Release ${manifest.version} built in ${seconds(this.now() - started)}: ${files} files, QEMU ${qemu.version} of ${qemu.folder}\n`
      : `Release ${manifest.version} is there already, and is the same\n`,
  )
  this.process.stdout.write(`${releases}/${manifest.version}\n`)
}

/** Shows the releases that a cluster can be brought to. @throws ReleaseDamaged when one of them is not what it was */
export async function list(this: CliContext, flags: { dataDir?: string; output: 'text' | 'json' }): Promise<void> {
  const { releases } = directoryOf(this, flags.dataDir)
  const own = thisRelease()
  const found: ReleaseManifest[] = []
  for (const version of await listReleases(releases)) {
    const manifest = await readRelease(releases, version)
    if (manifest === undefined) continue
    await verifyRelease(releases, manifest)
    found.push(manifest)
  }
  if (flags.output === 'json') {
    this.process.stdout.write(`${JSON.stringify({ checkout: own, releases: found }, null, 2)}\n`)
    return
  }
  const rows = found.map(({ version, qemu }) => [version, `QEMU ${qemu.version}`, `${releases}/${version}`])
  this.process.stdout.write(
    table([['VERSION', 'HYPERVISOR', 'FOLDER'], [own.version, 'QEMU on PATH', `${own.root} (this checkout)`], ...rows]),
  )
}

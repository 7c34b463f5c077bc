import { dirname } from 'node:path'
import { findQemu } from '#qemu/index.ts'
import { buildRelease } from '#machine/release/build-release.ts'
import { inspectReleases } from '#machine/release/release-directory.ts'
import { thisRelease } from '#machine/release/release.ts'
import { EXIT, type CliContext } from '#cli/context.ts'
import { homeDirectory } from '#cli/cluster/home.ts'
import { formatDuration, table } from '#cli/render/terminal.ts'
import { ownReleaseNotes, queryReleaseQemu } from '#cli/upgrade/local-releases.ts'

/** Builds a release from this checkout, to upgrade a cluster to or roll back to. */
export async function build(this: CliContext, flags: { dataDir?: string; version: string; qemu?: string }): Promise<void> {
  const { releases } = homeDirectory(this, flags.dataDir)
  const started = this.now()
  const qemu = await queryReleaseQemu(flags.qemu ?? dirname(dirname(await findQemu(this.process.env['PATH']))))
  const { manifest, isNew } = await buildRelease({ source: thisRelease(), releases, version: flags.version, qemu, facts: ownReleaseNotes })
  const files = Object.keys(manifest.files).length
  this.process.stderr.write(
    isNew
      ? `Release ${manifest.version} built in ${formatDuration(this.now() - started)}: ${files} files, QEMU ${qemu.version} of ${qemu.folder}\n`
      : `Release ${manifest.version} is there already, and is the same\n`,
  )
  this.process.stdout.write(`${releases}/${manifest.version}\n`)
}

/** Lists the local releases. Exit code 2 when one of them does not match its checksums. */
export async function list(this: CliContext, flags: { dataDir?: string; output: 'text' | 'json' }): Promise<void> {
  const { releases } = homeDirectory(this, flags.dataDir)
  const own = thisRelease()
  const found = await inspectReleases(releases)
  const damaged = found.filter((release) => 'damage' in release)
  if (damaged.length > 0) this.process.exitCode = EXIT.findings
  if (flags.output === 'json') {
    const sound = found.flatMap((release) => ('manifest' in release ? [release.manifest] : []))
    this.process.stdout.write(`${JSON.stringify({ checkout: own, releases: sound, damaged }, null, 2)}\n`)
    return
  }
  const rows = found.map((release) => [
    release.version,
    'manifest' in release ? `QEMU ${release.manifest.qemu.version}` : 'damaged',
    `${releases}/${release.version}`,
  ])
  this.process.stdout.write(
    table([['VERSION', 'HYPERVISOR', 'FOLDER'], [own.version, 'QEMU on PATH', `${own.root} (this checkout)`], ...rows]),
  )
  for (const { damage } of damaged) this.process.stderr.write(`${damage}\n`)
}

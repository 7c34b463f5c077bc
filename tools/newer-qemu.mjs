// A second, newer QEMU next to the system's, for tests of live migration between releases. Plain
// JavaScript, as setup.mjs is.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * With the firmware that belongs to it, and with all modules: one that is missing would be taken
 * from the system's QEMU, which is of another build, and that is the end of the process. All
 * libraries that it needs are those of the system's own QEMU.
 */
const PACKAGES = ['system-x86', 'system-common', 'system-data', 'system-gui', 'system-modules-opengl', 'system-modules-spice']
  .map((name) => `qemu-${name}`)
  .concat('seabios')
const SOURCE = 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm-backports main\n'

/**
 * Unpacked somewhere else than it was built for, QEMU would look for its files in /usr. The script
 * becomes QEMU: same pid.
 */
const STARTER = `#!/bin/sh
root=$(dirname "$(dirname "$(readlink -f "$0")")")/usr
export QEMU_MODULE_DIR="$root/lib/x86_64-linux-gnu/qemu"
exec "$root/bin/qemu-system-x86_64" -L "$root/share/qemu" -L "$root/share/seabios" -L /usr/share/seabios -L /usr/lib/ipxe/qemu "$@"
`

/**
 * Unpacks it from Debian's backports into `cache`. apt works on lists and settings of its own for
 * this: what the machine itself installs from stays as it is. Without it, the tests that need it
 * are skipped.
 * @param {string} cache
 * @param {{ run: Function, step: (text: string) => void, tail: (text: string) => string }} setup
 */
export function fetchNewerQemu(cache, { run, step, tail }) {
  const target = join(cache, 'qemu-backports')
  if (existsSync(join(target, 'bin', 'qemu-system-x86_64'))) return
  step("fetching a newer QEMU for the tests from Debian's backports (14 MB)")
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const work = mkdtempSync(join(cache, 'qemu-'))
  try {
    for (const folder of ['lists/partial', 'archives/partial', 'unpacked/bin']) mkdirSync(join(work, folder), { recursive: true })
    writeFileSync(join(work, 'sources.list'), SOURCE)
    const apt = settingsFor(work).flatMap((setting) => ['-o', setting])
    const starter = join(work, 'unpacked', 'bin', 'qemu-system-x86_64')
    writeFileSync(starter, STARTER, { mode: 0o755 })
    const commands = [
      () => ['apt-get', [...apt, 'update']],
      () => ['apt-get', [...apt, 'download', ...PACKAGES]],
      ...PACKAGES.map((name) => () => ['dpkg-deb', ['-x', fileOf(work, name), 'unpacked']]),
      () => [starter, ['--version']],
    ]
    for (const command of commands) {
      const result = run(...command(), { cwd: work })
      if (!result.ok) return step(`there is no second QEMU, and tests of migration between releases are skipped:\n${tail(result.output)}`)
    }
    rmSync(target, { recursive: true, force: true })
    renameSync(join(work, 'unpacked'), target)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** @param {string} work */
function settingsFor(work) {
  return [
    `Dir::State::lists=${join(work, 'lists')}`,
    `Dir::Etc::sourcelist=${join(work, 'sources.list')}`,
    'Dir::Etc::sourceparts=-',
    `Dir::Cache=${work}`,
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
  ]
}

/** @param {string} work @param {string} name */
function fileOf(work, name) {
  return readdirSync(work).find((entry) => entry.startsWith(`${name}_`)) ?? name
}

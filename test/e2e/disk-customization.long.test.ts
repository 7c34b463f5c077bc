// Takes longer than 45 s: libguestfs boots a system of its own for each of its runs.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { buildCloudImage, noCloudImage } from '../support/images/cloud-image.ts'
import { startFileServer, type FileServer } from '../support/images/file-server.ts'
import { findOnPath, noKubectl, runCommand, type CommandResult } from '../support/kubectl.ts'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { addressForPods } from '../support/place.ts'

const hasKernel = readdirSync('/boot').some((name) => name.startsWith('vmlinuz'))
/** On a cluster, the image of these tasks has libguestfs when this machine has built it. */
const noTool =
  (findOnPath('virt-customize') === undefined || !hasKernel) &&
  'there is no libguestfs with a kernel: run "apt-get install --no-install-recommends libguestfs-tools linux-image-cloud-amd64"'
const skip = noKubectl || noCloudImage || noTool
const steadyvm = join(import.meta.dirname, '../../bin/steadyvm')
/** Under emulation, on a machine that does other things, too. */
const runMs = 1_800_000

suite('disk-virt-customize and disk-virt-sysprep on a disk of Debian', { skip }, () => {
  let machine: TestMachine
  let folder: string
  let server: FileServer

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'disk-customization-'))
    await symlink(await buildCloudImage(), join(folder, 'debian.qcow2'))
    machine = await startMachine()
    server = await startFileServer(folder, { address: await addressForPods(machine.kubeconfig) })
    const spec = { source: { http: { url: `${server.url}/debian.qcow2` } }, storage: { resources: { requests: { storage: '2Gi' } } } }
    // There is no guest for which volumes of the class would wait.
    const metadata = { name: 'debian', annotations: { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true' } }
    const disk = { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', metadata, spec }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(disk))
    await machine.kubectl(['wait', 'dv/debian', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=600s'])
  })
  after(async () => {
    await machine?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  async function run(tool: 'virt-customize' | 'virt-sysprep', virtCommands: string, additionalVirtOptions = ''): Promise<CommandResult> {
    const parameters = { pvc: 'debian', virtCommands, additionalVirtOptions }
    const flags = Object.entries(parameters).flatMap(([name, value]) => ['-p', `${name}=${value}`])
    return runCommand(steadyvm, ['task', 'run', `disk-${tool}`, ...flags], { env: machine.env, timeoutMs: runMs })
  }

  test('a system is changed by commands and options, and sealed', async () => {
    const commands = "hostname made-by-task\nwrite /etc/motd:it's done\nrun-command ssh-keygen -A && ls /etc/ssh/ssh_host_ed25519_key"
    const changed = await run('virt-customize', commands, '--run-command \'echo "a  b" >/etc/words\'')
    assert.equal(changed.code, 0, changed.stdout + changed.stderr)
    const sealed = await run('virt-sysprep', '')
    assert.equal(sealed.code, 0, sealed.stdout + sealed.stderr)
  })

  test('a command that fails is told with the last lines of the tool, after others that see what was done', async () => {
    const checks = [
      'grep "^it\'s done$" /etc/motd',
      'grep "^a  b$" /etc/words',
      // Sealing removes what a copy must not have.
      'test ! -e /etc/ssh/ssh_host_ed25519_key',
      'echo all is well; exit 7',
    ]
    const { code, stdout, stderr } = await run('virt-customize', checks.map((check) => `run-command ${check}`).join('\n'))
    assert.notEqual(code, 0)
    assert.match(stdout + stderr, /virt-customize ended with exit code 1[^]*all is well[^]*exit 7/)
  })
})

// Takes longer than 45 s: it boots a guest, and runs commands in it by SSH.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { podNetworkObstacle } from '#machine/network/pod-network.ts'
import { networked } from '../support/guests/networked-guests.ts'
import { grantTasks, runTaskPod, runTaskProgram } from '../support/guests/task-pods.ts'
import { noKubectl, type CommandResult } from '../support/kubectl.ts'
import { textAt, type TestMachine } from '../support/machine.ts'
import { demoVirtualMachine, editGuest } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'

suite('guest-OS tasks', { skip: noKubectl || (podNetworkObstacle() ?? false) }, () => {
  let machine: TestMachine
  let results = ''
  before(async () => {
    machine = await useNamespace()
    results = await mkdtemp(join(tmpdir(), 'task-results-'))
    await grantTasks(machine, ['execute-in-vm', 'cleanup-vm', 'modify-data-object', 'wait-for-vmi-status'])
  })
  after(async () => {
    await rm(results, { recursive: true, force: true })
    await machine[Symbol.asyncDispose]()
  })

  /** Runs a task of this machine, and returns its end and its results. */
  async function run(task: string, args: readonly string[]): Promise<CommandResult & { readonly results: Record<string, string> }> {
    const folder = await mkdtemp(join(results, `${task}-`))
    const end = await runTaskProgram(machine, task, args, { STEADYVM_RESULTS_DIRECTORY: folder })
    const names = await readdir(folder)
    const entries = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const))
    return { ...end, results: Object.fromEntries(entries) }
  }

  test('make keys, a VM with them, run commands in it, wait for it, and clean up', async () => {
    const { namespace } = machine
    const secrets = ['--public-key-secret-name=keys', '--private-key-secret-name=login', '--additional-ssh-keygen-options=-t ed25519']
    const made = await run('generate-ssh-keys', [...secrets, '--', 'user:root', 'disable-strict-host-key-checking:true'])
    assert.equal(made.code, 0, made.stderr)
    assert.deepEqual(made.results, {
      publicKeySecretName: 'keys',
      publicKeySecretNamespace: namespace,
      privateKeySecretName: 'login',
      privateKeySecretNamespace: namespace,
    })
    const again = await run('generate-ssh-keys', secrets)
    assert.equal(again.code, 3, again.stderr)

    const created = await run('create-vm-from-manifest', [
      `--manifest=${withServer(demoVirtualMachine('worker', { namespace: '' }))}`,
      '--run-strategy=Manual',
    ])
    assert.equal(created.code, 0, created.stderr)
    assert.deepEqual(created.results, { name: 'worker', namespace })
    assert.equal(textAt(await machine.getJson('vm', 'worker'), 'spec.runStrategy'), 'Manual')

    const where = { vmName: 'worker', secretName: 'login' }
    const missing = await runTaskPod(machine, 'without-secret', 'execute-in-vm', { ...where, secretName: 'absent', command: ['hostname'] })
    assert.equal(missing.code, 3, missing.log)
    assert.equal((await machine.tryKubectl(['get', 'vmi', 'worker'])).code, 1, 'a VM was started without a secret')

    const executed = await runTaskPod(machine, 'execute', 'execute-in-vm', {
      ...where,
      command: ['hostname;', 'echo'],
      args: ['$((6 * 7))'],
    })
    assert.equal(executed.code, 0, executed.log)
    assert.match(executed.log, /^worker\n42$/m)
    const failed = await run('execute-in-vm', ['--vm-name=worker', '--secret-name=login', '--script=echo one\nexit 42'])
    assert.deepEqual([failed.code, failed.stdout], [42, 'one\n'], failed.stderr)

    const condition = '{.status.conditions[?(@.type=="LiveMigratable")].status} in (True, False), status.phase == Running'
    const waited = await runTaskPod(machine, 'wait', 'wait-for-vmi-status', { vmiName: 'worker', successCondition: condition })
    assert.equal(waited.code, 0, waited.log)
    const met = await run('wait-for-vmi-status', [
      '--vmi-name=worker',
      '--success-condition=status.phase==Succeeded',
      '--failure-condition=status.phase notin (Failed)',
    ])
    assert.equal(met.code, 2, met.stderr)

    const parameters = { ...where, script: 'sleep 600', timeout: '15s', delete: 'true' }
    const cleaned = await runTaskPod(machine, 'clean-up', 'cleanup-vm', parameters)
    assert.equal(cleaned.code, 5, cleaned.log)
    assert.match((await machine.tryKubectl(['get', 'vm', 'worker'])).stderr, /not found/)
    const nothing = await run('cleanup-vm', ['--vm-name=worker', '--delete=true'])
    assert.equal(nothing.code, 0, nothing.stderr)
  })

  test('make, replace and delete volumes and their sources, and apply other objects', async () => {
    // There is no guest for which volumes of the class would wait.
    const annotations = { 'cdi.kubevirt.io/storage.bind.immediate.requested': 'true' }
    const object = (kind: string, spec: object): string =>
      JSON.stringify({ apiVersion: 'cdi.kubevirt.io/v1beta1', kind, metadata: { name: 'disk', annotations }, spec })
    const volume = object('DataVolume', { source: { blank: {} }, storage: { resources: { requests: { storage: '16Mi' } } } })
    const claim = async (): Promise<string> => textAt(await machine.getJson('pvc', 'disk'), 'metadata.uid')
    const filled = await runTaskPod(machine, 'fill', 'modify-data-object', { manifest: volume, waitForSuccess: 'true' })
    assert.equal(filled.code, 0, filled.log)
    const first = await claim()
    const refused = await run('modify-data-object', [`--manifest=${volume}`])
    assert.equal(refused.code, 4, refused.stderr)
    const replaced = await run('modify-data-object', [`--manifest=${volume}`, '--allow-replace=true', '--wait-for-success=true'])
    assert.equal(replaced.code, 0, replaced.stderr)
    assert.deepEqual(replaced.results, { name: 'disk', namespace: machine.namespace })
    assert.notEqual(await claim(), first)
    const source = object('DataSource', { source: { pvc: { name: 'disk', namespace: machine.namespace } } })
    const ready = await run('modify-data-object', [`--manifest=${source}`, '--wait-for-success=true'])
    assert.equal(ready.code, 0, ready.stderr)
    for (const kind of ['DataSource', 'DataVolume', 'DataVolume']) {
      const deleted = await run('modify-data-object', ['--delete-object=true', `--delete-object-kind=${kind}`, '--delete-object-name=disk'])
      assert.equal(deleted.code, 0, deleted.stderr)
    }
    const maps = ['one', 'two'].map((name) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: b\n`).join('---\n')
    for (const manifest of [maps, maps]) {
      const applied = await run('apply-manifest', [`--manifest=${manifest}`])
      assert.equal(applied.code, 0, applied.stderr)
    }
    assert.equal(await machine.kubectl(['get', 'configmap', 'one', 'two', '-o', 'jsonpath={.items[*].data.a}']), 'b b')
  })
})

/** Adds a card and an SSH server with the key of a Secret. */
function withServer(vm: string): string {
  return editGuest(networked(vm), ({ domain, ...spec }) => {
    const { firmware, devices } = domain as { firmware: { kernelBoot: { container: object } }; devices: object }
    const container = { ...firmware.kernelBoot.container, initrdPath: '/boot/initrd-ssh' }
    return {
      ...spec,
      volumes: [{ name: 'seed', cloudInitNoCloud: { userData: '#cloud-config\n' } }],
      accessCredentials: [{ sshPublicKey: { source: { secret: { secretName: 'keys' } }, propagationMethod: { noCloud: {} } } }],
      domain: {
        ...domain,
        memory: { guest: '160Mi' },
        firmware: { kernelBoot: { ...firmware.kernelBoot, container } },
        devices: { ...devices, rng: {}, disks: [{ name: 'seed', disk: { bus: 'virtio' } }] },
      },
    }
  })
}

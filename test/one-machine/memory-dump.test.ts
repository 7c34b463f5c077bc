import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { Downloads } from '../support/exports/downloads.ts'
import { subresourcesPath } from '../support/guests/guest-streams.ts'
import { noKubectl, type CommandResult } from '../support/kubectl.ts'
import { eventually, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { demoVirtualMachine } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'

const run = promisify(execFile)

suite('the memory of a guest', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await useNamespace()
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '500Mi' } } }
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'dumps' }, spec }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(claim))
    await machine.kubectl(['create', '-f', '-'], demoVirtualMachine('web', { namespace: machine.namespace }))
  })
  after(() => machine[Symbol.asyncDispose]())

  const put = (verb: string, body: string): Promise<CommandResult> =>
    machine.tryKubectl(['replace', '--raw', `${subresourcesPath(machine)}/virtualmachines/web/${verb}`, '-f', '-'], body)
  const reaches = (phase: string): Promise<string> =>
    machine.kubectl(['wait', 'vm/web', `--for=jsonpath={.status.memoryDumpRequest.phase}=${phase}`, '--timeout=120s'])
  /** Returns the request of a VM whose dump is complete. */
  const dumped = async (): Promise<KubeJson> => {
    await reaches('Completed')
    return (await machine.getJson('vm', 'web'))['status']?.['memoryDumpRequest'] as KubeJson
  }

  /** Exports the claim as `virtctl memory-dump download` does, and returns its files. */
  async function download(): Promise<Map<string, Buffer>> {
    const name = 'memory'
    const vmExport = {
      apiVersion: 'export.kubevirt.io/v1beta1',
      kind: 'VirtualMachineExport',
      metadata: { name },
      spec: { source: { apiGroup: '', kind: 'PersistentVolumeClaim', name: 'dumps' } },
    }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(vmExport))
    await machine.kubectl(['wait', `vmexport/${name}`, '--for=jsonpath={.status.phase}=Ready', '--timeout=60s'])
    const folder = await mkdtemp(join(tmpdir(), 'dump-'))
    try {
      await using downloads = await Downloads.of(machine, name)
      const { code, body } = await downloads.get(downloads.url('tar.gz'))
      assert.equal(code, 200)
      await writeFile(join(folder, 'archive'), body)
      await run('tar', ['-xzf', 'archive', '--one-top-level=files'], { cwd: folder })
      const names = await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true })
      const files = names.filter((entry) => entry.isFile())
      return new Map(await Promise.all(files.map(async (file) => [file.name, await readFile(join(file.parentPath, file.name))] as const)))
    } finally {
      await rm(folder, { recursive: true })
      await machine.kubectl(['delete', 'vmexport', name])
    }
  }

  test('is dumped to a claim while the guest runs on', async () => {
    // The command does not have the text that the guest makes of it.
    await machine.inGuest('for n in 1 2 3 4 5; do printf "marker%s-" $n; done >/tmp/marker', 'web')
    const { generation } = (await machine.getJson('vm', 'web'))['metadata'] ?? {}
    const before = Number(await machine.inGuest('cut -d. -f1 /proc/uptime', 'web'))
    const { stderr, code } = await put('memorydump', JSON.stringify({ claimName: 'dumps' }))
    assert.equal(code, 0, stderr)
    const request = await dumped()
    const fileName = textAt(request, 'fileName')
    assert.match(fileName, /^web-dumps-\d{8}-\d{6}\.memory\.dump$/)
    assert.ok(Date.parse(textAt(request, 'endTimestamp')) >= Date.parse(textAt(request, 'startTimestamp')), JSON.stringify(request))
    const claim = await machine.getJson('pvc', 'dumps')
    assert.equal(claim['metadata']?.['annotations']?.['kubevirt.io/memory-dump'] as unknown, fileName)
    // The request is in the status, and nothing is left in the guest.
    assert.equal((await machine.getJson('vm', 'web'))['metadata']?.['generation'], generation)
    assert.doesNotMatch(JSON.stringify(await machine.getJson('vmi', 'web')), /memoryDump|dumps/)
    assert.ok(Number(await machine.inGuest('cut -d. -f1 /proc/uptime', 'web')) >= before)
    assert.match(await machine.kubectl(['events', '--for', 'vmi/web']), /Memory dump to Volume dumps has completed successfully/)
  })

  test('is dumped again to the same claim, and to no other one, and an export sends the last dump', async () => {
    const former = textAt(await dumped(), 'fileName')
    assert.match((await put('memorydump', JSON.stringify({ claimName: 'other' }))).stderr, /while pvc \[dumps\] is still associated/)
    const { stderr, code } = await put('memorydump', '{}')
    assert.equal(code, 0, stderr)
    const fileName = textAt(await dumped(), 'fileName')
    assert.notEqual(fileName, former)
    const files = await download()
    assert.deepEqual([...files.keys()], [fileName])
    const core = files.get(fileName) ?? Buffer.alloc(0)
    // An ELF file of type ET_CORE.
    assert.deepEqual([core.toString('latin1', 0, 4), core.readUInt16LE(16)], ['\x7fELF', 4])
    const memory = Number((await machine.inGuest('grep MemTotal /proc/meminfo', 'web')).replaceAll(/\D/g, '')) * 1024
    assert.ok(core.length > memory && core.length < memory + (128 << 20), `${core.length} bytes of ${memory}`)
    assert.ok(core.includes('marker1-marker2-marker3-marker4-marker5-'))
  })

  test('has no claim for dumps after a removal', async () => {
    const { stderr, code } = await put('removememorydump', '')
    assert.equal(code, 0, stderr)
    await eventually(
      async () => (await machine.getJson('vm', 'web'))['status']?.['memoryDumpRequest'] === undefined,
      () => machine.kubectl(['get', 'vm', 'web', '-o', 'yaml']),
    )
    assert.match((await put('removememorydump', '')).stderr, /no association found/)
  })
})

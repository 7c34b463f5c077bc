import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { after, before, suite, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Downloads } from '../support/exports/downloads.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { diskVirtualMachine, editGuest } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'
import { machineModeOnly } from '../support/place.ts'

const digest = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

suite('a VirtualMachineExport', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await useNamespace()
  })
  after(() => machine[Symbol.asyncDispose]())

  const create = async (...objects: object[]): Promise<unknown> =>
    machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
  const exportOf = (name: string, source: object, spec: object = {}): object => ({
    apiVersion: 'export.kubevirt.io/v1beta1',
    kind: 'VirtualMachineExport',
    metadata: { name },
    spec: { source, ...spec },
  })
  const ofVm = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }
  const phase = (name: string, wanted: string): Promise<string> =>
    machine.kubectl(['wait', `vmexport/${name}`, `--for=jsonpath={.status.phase}=${wanted}`, '--timeout=60s'])
  const reason = async (name: string): Promise<string> =>
    machine.kubectl(['get', 'vmexport', name, '-o', 'jsonpath={.status.conditions[?(@.type=="Ready")].reason}'])
  const run = (strategy: string): Promise<string> =>
    machine.kubectl(['patch', 'vm', 'web', '--type=merge', '-p', JSON.stringify({ spec: { runStrategy: strategy } })])
  let written = ''

  before(async () => {
    const disk = { persistentVolumeClaim: { claimName: 'root' } }
    // It ends at once: what it has written is on the disk.
    const vm = editGuest(diskVirtualMachine('web', disk), (guest) => ({ ...guest, terminationGracePeriodSeconds: 0 }))
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '24Mi' } } }
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'root' }, spec }
    await create(claim, { ...(JSON.parse(vm) as object), metadata: { name: 'web' } })
  })

  test('waits while its VM runs, and then sends what the guest has written', async () => {
    const writing = 'dd if=/bin/busybox of=/dev/vda bs=64k seek=40 conv=fsync 2>/dev/null; sha256sum /dev/vda'
    written = (await machine.inGuest(writing, 'web')).split(/\s/)[0] ?? ''
    await create(exportOf('disks', ofVm))
    await eventually(
      async () => (await reason('disks')) === 'InUse',
      () => reason('disks'),
    )
    assert.equal(textAt(await machine.getJson('vmexport', 'disks'), 'status.phase'), 'Pending')
    await run('Halted')
    await phase('disks', 'Ready')
    assert.match(await machine.kubectl(['get', 'vmexport', 'disks', '--no-headers']), /^disks\s+VirtualMachine\s+web\s+Ready\s*$/)
    await using downloads = await Downloads.of(machine, 'disks')
    assert.equal(digest((await downloads.get(downloads.url('raw'))).body), written)
    const compressed = (await downloads.get(downloads.url('gzip'))).body
    assert.equal(digest(gunzipSync(compressed)), written)
    assert.equal((await downloads.get(downloads.url('raw'), 'guessed')).code, 401)
  })

  test('is reached from outside at the address of the API server', { skip: machineModeOnly('links need an Ingress there') }, async () => {
    const found = await machine.getJson('vmexport', 'disks')
    const external = found['status']?.['links']?.['external'] as unknown as { cert: string; volumes: [{ formats: [{ url: string }] }] }
    const token = textAt(await machine.getJson('secret', textAt(found, 'status.tokenSecretRef')), 'data.token')
    const ask = async (sent: string): Promise<IncomingMessage> => {
      const headers = { 'x-kubevirt-export-token': sent }
      const asked = request(external.volumes[0].formats[0].url, { ca: external.cert, agent: false, headers })
      asked.end()
      return ((await once(asked, 'response')) as [IncomingMessage])[0]
    }
    const response = await ask(Buffer.from(token, 'base64').toString())
    assert.equal(digest(Buffer.concat((await response.toArray()) as Buffer[])), written)
    assert.equal((await ask('guessed')).resume().statusCode, 401)
  })

  test('of a snapshot sends the disk of then, while the guest writes on, and a manifest that can be applied', async () => {
    await run('Always')
    const sum = async (): Promise<string> => (await machine.inGuest('sync; sha256sum /dev/vda', 'web')).split(/\s/)[0] ?? ''
    await eventually(
      async () => (await machine.inGuest('true', 'web').catch(() => undefined)) !== undefined,
      () => 'the guest does not answer',
    )
    await create({
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineSnapshot',
      metadata: { name: 'then' },
      spec: { source: ofVm },
    })
    await machine.kubectl(['wait', 'vmsnapshot/then', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=60s'])
    const before = await sum()
    await machine.inGuest('echo later | dd of=/dev/vda bs=64k seek=3 conv=fsync 2>/dev/null', 'web')
    assert.notEqual(await sum(), before)
    await create(exportOf('then', { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 'then' }))
    await phase('then', 'Ready')
    assert.equal(textAt(await machine.getJson('vmexport', 'then'), 'status.virtualMachineName'), 'web')
    await using downloads = await Downloads.of(machine, 'then')
    assert.match(downloads.url('raw'), /\/volumes\/root\/disk\.img$/)
    assert.equal(digest((await downloads.get(downloads.url('raw'))).body), before)
    const { items } = JSON.parse((await downloads.get(downloads.url('all'))).body.toString()) as { items: KubeJson[] }
    assert.deepEqual(
      items.map((item) => `${textAt(item, 'kind')}/${textAt(item, 'metadata.name')}`),
      ['ConfigMap/export-ca-cm-then', 'VirtualMachine/web', 'DataVolume/root'],
    )
    // Without its source there is nothing to send.
    await machine.kubectl(['delete', 'vmsnapshot', 'then'])
    await phase('then', 'Skipped')
    await machine.kubectl(['wait', '--for=delete', 'pod/virt-export-then', '--timeout=60s'])
    await machine.kubectl(['delete', 'vmexport', 'then'])
    await run('Halted')
    await phase('disks', 'Ready')
  })

  test('has manifests of the VM that can be applied', async () => {
    await using downloads = await Downloads.of(machine, 'disks')
    const [all, secret] = [await downloads.get(downloads.url('all')), await downloads.get(downloads.url('auth-header-secret'))]
    const items = [all, secret].flatMap(({ body }) => (JSON.parse(body.toString()) as { items: KubeJson[] }).items)
    assert.deepEqual(
      items.map((item) => textAt(item, 'kind')),
      ['ConfigMap', 'VirtualMachine', 'DataVolume', 'Secret'],
    )
    assert.match(JSON.stringify(items[2]), /"url":"https:\/\/virt-export-disks\.[^"]*\.svc\/volumes\/root\/disk\.img\.gz"/)
    const others = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: items.filter((item) => textAt(item, 'kind') !== 'DataVolume') })
    assert.match(
      await machine.kubectl(['apply', '--dry-run=server', '-f', '-'], others),
      /virtualmachine\.kubevirt\.io\/web (configured|serverside|unchanged)/,
    )
  })

  test('ends its server when the VM starts, and leaves nothing when it is deleted', async () => {
    await run('Always')
    await phase('disks', 'Pending')
    await machine.kubectl(['wait', '--for=delete', 'pod/virt-export-disks', '--timeout=60s'])
    assert.match(await machine.kubectl(['get', 'events', '--field-selector=reason=ExportPaused']), /Virtual Machine \S+\/web is running/)
    await machine.kubectl(['delete', 'vmexport', 'disks'])
    const left = async (): Promise<string> =>
      (await machine.kubectl(['get', 'pods,services,secrets,configmaps', '-o', 'name']))
        .split('\n')
        .filter((name) => name.includes('export'))
        .join()
    await eventually(async () => (await left()) === '', left)
  })

  test('is refused with the field, or tells why nothing can be exported', async () => {
    const { stderr } = await machine.tryKubectl(['create', '-f', '-'], JSON.stringify(exportOf('bad', { kind: 'Pod', name: 'p' })))
    assert.match(stderr, /invalid kind/)
    const snapshot = JSON.stringify(
      exportOf('old', { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 'none' }, { ttlDuration: '1h' }),
    )
    await machine.kubectl(['create', '-f', '-'], snapshot)
    await phase('old', 'Skipped')
  })
})

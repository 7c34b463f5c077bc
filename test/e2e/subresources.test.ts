import assert from 'node:assert/strict'
import { request } from 'node:https'
import { after, before, suite, test } from 'node:test'
import { signalProcess } from '#machine/supervisor/processes.ts'
import { type CommandResult, noKubectl } from '../support/kubectl.ts'
import { powerButtonVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'

const base = '/apis/subresources.kubevirt.io/v1/namespaces/default'
const vms = `${base}/virtualmachines`

suite('subresources of VMs', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
    await machine.kubectl(['wait', '--for=create', 'apiservice/v1alpha3.subresources.kubevirt.io', '--timeout=30s'])
    await machine.kubectl(['wait', 'apiservice/v1.subresources.kubevirt.io', '--for=condition=Available', '--timeout=30s'])
    await machine.kubectl(['wait', 'apiservice/v1alpha3.subresources.kubevirt.io', '--for=condition=Available', '--timeout=30s'])
    await machine.kubectl(['apply', '-f', '-'], JSON.stringify(sizes))
    await machine.kubectl(['create', 'rolebinding', 'viewers', '--clusterrole=view', '--user=vera'])
    await machine.kubectl(['create', 'rolebinding', 'editors', '--clusterrole=edit', '--user=ed'])
  })
  after(() => machine[Symbol.asyncDispose]())

  const sizes = {
    apiVersion: 'instancetype.kubevirt.io/v1beta1',
    kind: 'VirtualMachineInstancetype',
    metadata: { name: 'small', namespace: 'default' },
    spec: { cpu: { guest: 2 }, memory: { guest: '256Mi' } },
  }
  const sized = (name: string, spec: object = {}): string => {
    const template = { spec: { domain: { devices: {} }, terminationGracePeriodSeconds: 0 } }
    const instancetype = { name: 'small', kind: 'VirtualMachineInstancetype' }
    return JSON.stringify({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name },
      spec: { runStrategy: 'Halted', instancetype, template, ...spec },
    })
  }
  const get = (path: string, ...more: string[]): Promise<CommandResult> => machine.tryKubectl(['get', '--raw', path, ...more])
  const put = (path: string, body = '', ...more: string[]): Promise<CommandResult> =>
    machine.tryKubectl(['replace', '--raw', path, '-f', '-', ...more], body)
  const fails = async (result: Promise<CommandResult>, reason: string, message: RegExp): Promise<void> => {
    const { code, stderr } = await result
    assert.notEqual(code, 0)
    assert.ok(stderr.includes(`(${reason})`), stderr)
    assert.match(stderr, message)
  }

  test('are in discovery', async () => {
    for (const version of ['v1', 'v1alpha3']) {
      const { stdout } = await get(`/apis/subresources.kubevirt.io/${version}`)
      const names = (JSON.parse(stdout) as { resources: { name: string }[] }).resources.map(({ name }) => name)
      for (const name of ['expand-vm-spec', 'virtualmachines/expand-spec', 'virtualmachines/start']) assert.ok(names.includes(name), name)
    }
    const groups = JSON.parse((await get('/apis')).stdout) as { groups: { name: string; preferredVersion: { version: string } }[] }
    assert.equal(groups.groups.find(({ name }) => name === 'subresources.kubevirt.io')?.preferredVersion.version, 'v1')
  })

  test('expand a stored VM', async () => {
    await machine.kubectl(['apply', '-f', '-'], sized('web'))
    const { stdout, stderr, code } = await get(`${vms}/web/expand-spec`)
    assert.equal(code, 0, stderr)
    const vm = JSON.parse(stdout) as KubeJson
    assert.equal(textAt(vm, 'spec.template.spec.domain.memory.guest'), '256Mi')
    assert.equal(textAt(vm, 'spec.template.spec.domain.cpu.sockets'), '2')
    assert.equal(vm['spec']?.['instancetype'], undefined)
    assert.equal(vm['status']?.['instancetypeRef'], undefined)
    await fails(get(`${vms}/none/expand-spec`), 'NotFound', /virtualmachine\.kubevirt\.io "none" not found/)
    await machine.kubectl(['apply', '-f', '-'], sized('early', { instancetype: { name: 'later' } }))
    await fails(get(`${vms}/early/expand-spec`), 'InternalError', /Internal error occurred: .*"later" not found/)
  })

  test('expand a VM that is sent', async () => {
    const path = `${base}/expand-vm-spec`
    const { stdout, code, stderr } = await put(path, sized('new'))
    assert.equal(code, 0, stderr)
    assert.equal(textAt(JSON.parse(stdout) as KubeJson, 'spec.template.spec.domain.cpu.sockets'), '2')
    const memory = { spec: { domain: { devices: {}, memory: { guest: '1Gi' } } } }
    await fails(put(path, sized('new', { template: memory })), 'BadRequest', /conflicts with selected instance type/)
    await fails(put(path, sized('new', { instancetype: { name: 'later' } })), 'BadRequest', /"later" not found/)
    await fails(put(path, '{'), 'BadRequest', /Can not unmarshal Request body to struct/)
    await fails(put(path, '{"kind":"Pod"}'), 'BadRequest', /Object is not a valid VirtualMachine/)
    await fails(
      put(path.replace('default', 'kube-system'), sized('new').replace('"name":"new"', '"name":"new","namespace":"default"')),
      'BadRequest',
      /VM namespace must be empty or kube-system/,
    )
  })

  test('require rights', async () => {
    assert.equal((await get(`${vms}/web/expand-spec`, '--as=vera')).code, 0)
    assert.equal((await put(`${base}/expand-vm-spec`, sized('new'), '--as=vera')).code, 0)
    await fails(put(`${vms}/web/start`, '', '--as=vera'), 'Forbidden', /User "vera" cannot update resource "virtualmachines\/start"/)
    await fails(get(`${vms}/web/expand-spec`, '--as=nobody'), 'Forbidden', /User "nobody" cannot get/)
    assert.equal((await put(`${vms}/web/start`, '{"dryRun":["All"]}', '--as=ed')).code, 0)
    assert.equal(textAt(await machine.getJson('vm', 'web'), 'spec.runStrategy'), 'Halted')
  })

  test('that are not served yet say so, also to clients of streams, and only to those who may', async () => {
    const vmi = `${base}/virtualmachineinstances/web`
    const { stderr } = await get('/apis/subresources.kubevirt.io/v1/guestfs')
    assert.match(stderr, /guestfs is not served yet\. Images have no guestfish/)
    assert.match((await get(`${vms}/web/objectgraph`)).stderr, /ObjectGraph feature gate not enabled/)
    await fails(put(`${vms}/web/memorydump`, '', '--as=vera'), 'Forbidden', /User "vera" cannot update/)
    const view = ['config', 'view', '--raw', '--minify', '-o']
    const server = await machine.kubectl([...view, 'jsonpath={.clusters[0].cluster.server}'])
    const ca = Buffer.from(await machine.kubectl([...view, 'jsonpath={.clusters[0].cluster.certificate-authority-data}']), 'base64')
    const { cert, key } = machine.credentials('admin')
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    }
    const code = await new Promise((resolve, reject) => {
      const sent = request(`${server}${vmi}/vsock`, { headers, ca, cert, key }, (response) => resolve(response.resume().statusCode))
      sent.on('error', reject).end()
    })
    assert.equal(code, 404)
  })

  test('accept the identity of the user from the API server only', async () => {
    const text = (...path: string[]): Promise<string> => machine.kubectl(['get', ...path])
    const where = ['-n', 'kubevirt', 'endpoints', 'virt-api', '-o', 'jsonpath={.subsets[0].addresses[0].ip} {.subsets[0].ports[0].port}']
    const [host, port] = (await text(...where)).split(' ')
    const ca = Buffer.from(await text('apiservice', 'v1.subresources.kubevirt.io', '-o', 'jsonpath={.spec.caBundle}'), 'base64')
    const codeFor = (headers: Record<string, string>, credentials: object): Promise<number> =>
      new Promise((resolve, reject) => {
        const path = `${vms}/web/expand-spec`
        const options = { host, port, path, headers, ca, servername: 'virt-api.kubevirt.svc', ...credentials }
        const sent = request(options, (response) => resolve(response.resume().statusCode ?? 0))
        sent.on('error', reject).end()
      })
    const asAdmin = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }
    assert.equal(await codeFor(asAdmin, {}), 401)
    const identityOf = (name: 'admin' | 'front-proxy'): object => {
      const { cert, key } = machine.credentials(name)
      return { cert, key }
    }
    assert.equal(await codeFor(asAdmin, identityOf('admin')), 401)
    const credentials = identityOf('front-proxy')
    assert.equal(await codeFor(asAdmin, credentials), 200)
    assert.equal(await codeFor({ 'x-remote-user': 'nobody' }, credentials), 403)
  })

  test('are available again after virt-api was killed', async () => {
    const processes = machine.processes().filter(({ role }) => role === 'virt-api')
    assert.ok(processes.length > 0)
    for (const found of processes) signalProcess(found, 'SIGKILL')
    await eventually(
      () => !machine.processes().some(({ pid }) => processes.some((killed) => killed.pid === pid)),
      () => 'it is still there',
    )
    await eventually(
      async () => (await get(`${vms}/web/expand-spec`)).code === 0,
      () => machine.kubectl(['get', 'apiservices', '-o', 'yaml']),
    )
  })

  test('start, restart and stop a VM', async () => {
    const vm = JSON.parse(powerButtonVirtualMachine(machine, 'live')) as { spec: Record<string, unknown> }
    vm.spec['runStrategy'] = 'Manual'
    await machine.kubectl(['apply', '-f', '-'], JSON.stringify(vm))
    await fails(put(`${vms}/live/stop`), 'Conflict', /VM is not running/)
    assert.equal((await put(`${vms}/live/start`)).code, 0)
    const uid = async (): Promise<string> => {
      const { stdout } = await machine.tryKubectl(['get', 'vmi', 'live', '-o', 'jsonpath={.status.phase}/{.metadata.uid}'])
      return stdout.startsWith('Running/') ? stdout : ''
    }
    await eventually(
      async () => (await uid()) !== '',
      () => machine.kubectl(['get', 'vm,vmi', '-o', 'yaml']),
    )
    await fails(put(`${vms}/live/start`), 'Conflict', /VM is already running/)
    const first = await uid()
    assert.equal((await put(`${vms}/live/restart`, '{"gracePeriodSeconds":0}')).code, 0)
    await eventually(
      async () => !['', first].includes(await uid()),
      () => machine.kubectl(['get', 'vm,vmi', '-o', 'yaml']),
    )
    assert.equal((await put(`${vms}/live/stop`)).code, 0)
    await machine.kubectl(['wait', 'vmi/live', '--for=delete', '--timeout=60s'])
    assert.equal(textAt(await machine.getJson('vm', 'live'), 'spec.runStrategy'), 'Manual')
  })

  test('start a halted VM paused, resume and pause it, and halt it again', async () => {
    const vm = JSON.parse(powerButtonVirtualMachine(machine, 'still')) as { spec: Record<string, unknown> }
    vm.spec['runStrategy'] = 'Halted'
    await machine.kubectl(['apply', '-f', '-'], JSON.stringify(vm))
    assert.equal((await put(`${vms}/still/start`, '{"paused":true}')).code, 0)
    await machine.kubectl(['wait', '--for=create', 'vmi/still', '--timeout=30s'])
    assert.equal(textAt(await machine.getJson('vmi', 'still'), 'spec.startStrategy'), 'Paused')
    assert.equal(textAt(await machine.getJson('vm', 'still'), 'spec.runStrategy'), 'Always')
    const vmi = `${base}/virtualmachineinstances/still`
    const is = async (status: 'Paused' | 'Running'): Promise<void> => {
      await machine.kubectl(['wait', 'vm/still', `--for=jsonpath={.status.printableStatus}=${status}`, '--timeout=60s'])
      const condition = await machine.kubectl(['get', 'vmi', 'still', '-o', 'jsonpath={.status.conditions[?(@.type=="Paused")].status}'])
      assert.equal(condition, status === 'Paused' ? 'True' : '')
    }
    await is('Paused')
    await fails(put(`${vmi}/pause`), 'Conflict', /VMI is already paused/)
    assert.equal((await put(`${vmi}/unpause`, '{"dryRun":["All"]}')).code, 0)
    await is('Paused')
    assert.equal((await put(`${vmi}/unpause`)).code, 0)
    await is('Running')
    await fails(put(`${vmi}/unpause`), 'Conflict', /VMI is not paused/)
    assert.equal((await put(`${vmi}/pause`)).code, 0)
    await is('Paused')
    // The request is stored: it holds without the agent, and after it.
    for (const found of machine.processes().filter(({ role }) => role === 'virt-handler')) signalProcess(found, 'SIGKILL')
    await eventually(
      async () => (await put(`${vmi}/unpause`)).code === 0,
      () => machine.kubectl(['get', 'vmi', 'still', '-o', 'yaml']),
    )
    await is('Running')
    assert.equal(textAt(await machine.getJson('vmi', 'still'), 'status.steadyvm.paused'), '')
    assert.equal((await put(`${vms}/still/stop`, '{"gracePeriod":0}')).code, 0)
    await machine.kubectl(['wait', 'vmi/still', '--for=delete', '--timeout=60s'])
    assert.equal(textAt(await machine.getJson('vm', 'still'), 'spec.runStrategy'), 'Halted')
  })

  test("serve `steadyvm start`, `stop`, `restart` and `migrate`, with virtctl's flags and texts", async () => {
    await machine.kubectl(['apply', '-f', '-'], sized('cli'))
    const strategy = (): Promise<string> => machine.kubectl(['get', 'vm', 'cli', '-o', 'jsonpath={.spec.runStrategy}'])
    const rows = [
      [['start', 'vm/cli', '--dry-run'], 0, /Dry Run execution\nVM cli was scheduled to start/, 'Halted'],
      [['start', 'cli'], 0, /VM cli was scheduled to start/, 'Always'],
      [['start', 'default/cli'], 1, /Always does not support manual start requests|already/, 'Always'],
      [['stop', 'cli', '--force'], 1, /Must both use --force=true and set --grace-period/, 'Always'],
      [['stop', 'cli'], 0, /VM cli was scheduled to stop/, 'Halted'],
      [['restart', 'cli'], 1, /Halted does not support manual restart requests/, 'Halted'],
      [['migrate', 'cli'], 1, /cli/, 'Halted'],
      [['stop', 'none'], 1, /"none" not found/, 'Halted'],
    ] as const
    for (const [args, code, output, expected] of rows) {
      // A guest that shuts down may still be migrated.
      if (args[0] === 'migrate') await machine.kubectl(['wait', 'vmi/cli', '--for=delete', '--timeout=60s'])
      const result = await machine.steadyvm(...args)
      assert.equal(result.code, code, `${args.join(' ')}: ${result.stdout}${result.stderr}`)
      assert.match(result.stdout + result.stderr, output)
      assert.equal(await strategy(), expected, args.join(' '))
    }
  })
})

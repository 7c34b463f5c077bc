import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { demoVirtualMachine } from '../support/manifests.ts'
import { eventually, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'
import { useNamespace } from '../support/namespaces.ts'

const VMS = '/apis/kubevirt.io/v1/namespaces/{namespace}/virtualmachines'
const TYPES = '/apis/instancetype.kubevirt.io/v1beta1/namespaces/{namespace}/virtualmachineinstancetypes'

suite('bad input gets the answer of kube-apiserver and KubeVirt, and changes nothing', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await useNamespace()
  })
  after(() => machine[Symbol.asyncDispose]())

  function vm(change: (spec: { [key: string]: unknown }, object: { [key: string]: unknown }) => void): string {
    const object = JSON.parse(demoVirtualMachine('bad', { namespace: machine.namespace })) as { spec: { [key: string]: unknown } }
    change(object.spec, object)
    return JSON.stringify(object)
  }
  const type = (spec: unknown): string =>
    JSON.stringify({ apiVersion: 'instancetype.kubevirt.io/v1beta1', kind: 'VirtualMachineInstancetype', metadata: { name: 'bad' }, spec })

  const cases = [
    {
      name: 'an unknown field under strict validation',
      path: `${VMS}?fieldValidation=Strict`,
      body: () => vm((spec) => (spec['runStrategi'] = 'Always')),
      code: 400,
      reason: 'BadRequest',
      message: /strict decoding error: unknown field "spec\.runStrategi"/,
    },
    {
      name: 'a field of the wrong type',
      path: VMS,
      body: () => vm((spec) => (spec['runStrategy'] = 7)),
      code: 422,
      reason: 'Invalid',
      field: 'spec.runStrategy',
      message: /spec\.runStrategy: Invalid value: "integer": spec\.runStrategy in body must be of type string: "integer"/,
    },
    {
      name: 'a negative CPU count',
      path: TYPES,
      body: () => type({ cpu: { guest: -1 }, memory: { guest: '128Mi' } }),
      code: 422,
      reason: 'Invalid',
      field: 'spec.cpu.guest',
      message: /spec\.cpu\.guest: Invalid value: -1: spec\.cpu\.guest in body should be greater than or equal to 0/,
    },
    {
      name: 'a missing required field',
      path: TYPES,
      body: () => type({ cpu: { guest: 1 } }),
      code: 422,
      reason: 'Invalid',
      field: 'spec.memory',
      message: /spec\.memory: Required value/,
    },
    {
      name: 'running and runStrategy together',
      path: VMS,
      body: () => vm((spec) => (spec['running'] = true)),
      code: 422,
      reason: 'Invalid',
      field: 'spec.running',
      message: /mutually exclusive/,
    },
    {
      name: 'a matcher without a name',
      path: VMS,
      body: () => vm((spec) => (spec['instancetype'] = { kind: 'VirtualMachineInstancetype' })),
      code: 422,
      reason: 'Invalid',
      field: 'spec.instancetype',
      message: /Either Name or InferFromVolume should be provided within the InstancetypeMatcher/,
    },
    { name: 'broken JSON', path: VMS, body: () => '{"kind": "VirtualMachine",', code: 400, reason: 'BadRequest', message: /./ },
    {
      name: 'a body of 4 MB',
      path: VMS,
      body: () => vm((_, object) => (object['junk'] = 'x'.repeat(4 << 20))),
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: /Request entity too large: limit is 3145728/,
    },
    {
      name: 'a name that is no DNS name',
      path: VMS,
      body: () => vm((_, object) => (object['metadata'] = { name: 'Not_A_Name' })),
      code: 422,
      reason: 'Invalid',
      field: 'metadata.name',
      message: /RFC 1123 subdomain/,
    },
    {
      name: 'another namespace than the URL says',
      path: VMS,
      body: () => vm((_, object) => (object['metadata'] = { name: 'bad', namespace: 'other' })),
      code: 400,
      reason: 'BadRequest',
      message: /namespace/,
    },
  ]
  for (const { name, path, body, code, reason, message, ...more } of cases) {
    const skip = code === 413 && machineModeOnly('kube-apiserver resets the connection before this client has read its answer')
    test(`${name}: ${code} ${reason}`, { skip }, async () => {
      const before = await machine.kubectl(['get', 'vm,vmi,vminstancetypes,pods', '-o', 'name'])
      const answer = await post(machine, path, body())
      assert.equal(answer['code'], code, JSON.stringify(answer))
      assert.equal(answer['reason'], reason)
      assert.match(textAt(answer, 'message'), message)
      if ('field' in more) {
        const causes = answer['details']?.['causes'] as unknown as { field: string }[]
        assert.ok(
          causes.some(({ field }) => field === more.field),
          JSON.stringify(causes),
        )
      }
      assert.equal(await machine.kubectl(['get', 'vm,vmi,vminstancetypes,pods', '-o', 'name']), before)
    })
  }

  test('an unknown instance type: the VM is accepted, reports what it waits for, and starts when the type appears', async () => {
    await machine.kubectl(['apply', '-f', '-'], demoVirtualMachine('waiting', { instancetype: 'later', namespace: machine.namespace }))
    await machine.kubectl(['wait', 'vm/waiting', '--for=condition=Failure', '--timeout=20s'])
    const conditions = (await machine.getJson('vm', 'waiting'))['status']?.['conditions'] as unknown as {
      type: string
      reason: string
      message: string
    }[]
    const failure = conditions.find((condition) => condition.type === 'Failure')
    assert.equal(failure?.reason, 'FailedFindInstancetype')
    assert.match(failure?.message ?? '', /"later" not found/)
    const later = JSON.stringify({
      apiVersion: 'instancetype.kubevirt.io/v1beta1',
      kind: 'VirtualMachineInstancetype',
      metadata: { name: 'later' },
      spec: { cpu: { guest: 1 }, memory: { guest: '96Mi' } },
    })
    await machine.kubectl(['apply', '-f', '-'], later)
    await machine.kubectl(['wait', 'vm/waiting', '--for=condition=Ready', '--timeout=60s'])
    await machine.kubectl(['delete', 'vm', 'waiting', '--timeout=60s'])
  })

  test('a VM that sets a field of its instance type is refused with both paths', async () => {
    const instancetype = type({ cpu: { guest: 1 }, memory: { guest: '96Mi' } }).replace('"bad"', '"taken"')
    await machine.kubectl(['apply', '-f', '-'], instancetype)
    const body = vm((spec) => (spec['instancetype'] = { kind: 'VirtualMachineInstancetype', name: 'taken' }))
    const answer = await post(machine, VMS, body)
    assert.equal(answer['code'], 422)
    const causes = answer['details']?.['causes'] as unknown as { field: string; message: string }[]
    assert.deepEqual(causes.map(({ field }) => field).toSorted(), [
      'spec.template.spec.domain.cpu.cores',
      'spec.template.spec.domain.memory.guest',
    ])
  })

  test('a VM whose image is not in the store reports it', { skip: machineModeOnly('images are in the store of the machine') }, async () => {
    const lost = demoVirtualMachine('lost', { namespace: machine.namespace }).replace('steadyvm.io/demo-guest:v1', 'steadyvm.io/nowhere:v1')
    await machine.kubectl(['create', '-f', '-'], lost)
    const status = (): Promise<string> => machine.kubectl(['get', 'vm', 'lost', '-o', 'jsonpath={.status.printableStatus}'])
    await eventually(
      async () => ['ErrImagePull', 'ImagePullBackOff'].includes(await status()),
      async () => `status is ${await status()}`,
    )
    await machine.kubectl(['delete', 'vm', 'lost'])
  })
})

function post(machine: TestMachine, path: string, body: string): Promise<KubeJson> {
  const server = new URL(/"?server"?: "?([^\s"]+)/.exec(readFileSync(machine.kubeconfig, 'utf8'))?.[1] ?? '')
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: server.hostname,
        port: server.port,
        path: path.replace('{namespace}', machine.namespace),
        method: 'POST',
        ...machine.credentials('admin'),
        headers: { 'content-type': 'application/json' },
        agent: false,
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve(JSON.parse(text) as KubeJson))
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}

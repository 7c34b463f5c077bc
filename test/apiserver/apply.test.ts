import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type EmbeddedServer, startEmbeddedServer } from '../support/embedded-server.ts'
import { kubectlsUnderTest } from '../support/kubectl.ts'

// Server-side apply is a conversation between kubectl and server: what it prints of conflicts, and
// how it moves from client-side apply, are fixed.
const installed = kubectlsUnderTest()

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: racks.apply.example}
spec:
  group: apply.example
  scope: Namespaced
  names: {plural: racks, singular: rack, kind: Rack, listKind: RackList}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}, scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                color: {type: string}
                count: {type: integer}
                slots:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items: {type: object, required: [name], properties: {name: {type: string}, size: {type: integer}}}
            status: {type: object, properties: {phase: {type: string}, count: {type: integer}}}
`
const rack = (spec: string, rest = ''): string => `apiVersion: apply.example/v1\nkind: Rack\nmetadata: {name: r}\nspec: ${spec}\n${rest}`
const deployment = (replicas: string, image: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec:
  ${replicas}
  selector: {matchLabels: {app: d}}
  template:
    metadata: {labels: {app: d}}
    spec:
      containers: [{name: main, image: "${image}", env: [{name: A, value: x}], ports: [{containerPort: 80}]}]
`
const configMap = (data: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: ${data}\n`

interface Owner {
  readonly manager: string
  readonly operation: string
  readonly subresource?: string
  readonly time?: string
  readonly fieldsV1: Readonly<Record<string, unknown>>
}

suite('kubectl apply --server-side', { skip: installed.length === 0 ? 'no kubectl is installed' : false }, () => {
  let server: EmbeddedServer
  before(async () => {
    server = await startEmbeddedServer()
    const path = installed[0]?.path ?? ''
    const { code, output } = await server.run(path, ['apply', '--server-side', '-f', '-'], definition)
    assert.equal(code, 0, output)
    await server.run(path, ['wait', '--for=condition=Established', 'crd/racks.apply.example'])
  })
  after(() => server[Symbol.asyncDispose]())

  for (const { version, path } of installed) {
    suite(version, () => {
      const namespace = `v${version.replace('.', '-')}`
      const kubectl = (args: string, input?: string): ReturnType<EmbeddedServer['run']> =>
        server.run(path, ['-n', namespace, ...args.split(' ')], input)
      const says = async (args: string, wanted: string, input?: string): Promise<void> => {
        const { code, output } = await kubectl(args, input)
        assert.equal(code, 0, `kubectl ${args}: ${output}`)
        assert.ok(output.includes(wanted), `kubectl ${args}: ${output}`)
      }
      const fails = async (args: string, wanted: string, input?: string): Promise<void> => {
        const { code, output } = await kubectl(args, input)
        assert.notEqual(code, 0, `kubectl ${args}: ${output}`)
        assert.ok(output.includes(wanted), `kubectl ${args}: ${output}`)
      }
      const owners = async (what: string): Promise<readonly Owner[]> => {
        const { output } = await kubectl(`get ${what} -o json --show-managed-fields`)
        return (JSON.parse(output) as { metadata: { managedFields: Owner[] } }).metadata.managedFields
      }

      test('creates an object, keeps it without a change, and changes it', async () => {
        await says(`create ns ${namespace}`, 'created')
        await says('apply --server-side -f -', 'rack.apply.example/r serverside-applied', rack('{color: red, slots: [{name: a, size: 1}]}'))
        const before = await kubectl('get rack r -o jsonpath={.metadata.resourceVersion}')
        await says('apply --server-side -f -', 'serverside-applied', rack('{color: red, slots: [{name: a, size: 1}]}'))
        assert.deepEqual(await kubectl('get rack r -o jsonpath={.metadata.resourceVersion}'), before)
        await says('apply --server-side -f -', 'serverside-applied', rack('{color: blue, slots: [{name: b, size: 2}]}'))
        await says('get rack r -o jsonpath={.spec}', '{"color":"blue","slots":[{"name":"b","size":2}]}')
      })

      test('reports the managers of conflicting fields, and takes the fields with --force-conflicts', async () => {
        await says('patch rack r --type=merge -p {"spec":{"color":"green"}}', 'patched')
        await fails(
          'apply --server-side -f -',
          'Apply failed with 1 conflict: conflict with "kubectl-patch" using apply.example/v1: .spec.color',
          rack('{color: blue, slots: [{name: b, size: 2}]}'),
        )
        await fails(
          'apply --server-side --field-manager=other -f -',
          'Apply failed with 2 conflicts: conflicts with "kubectl":\n- .spec.slots[name="b"].size\nconflicts with "kubectl-patch" using apply.example/v1:\n- .spec.color',
          rack('{color: red, slots: [{name: b, size: 3}]}'),
        )
        await says('apply --server-side --force-conflicts -f -', 'serverside-applied', rack('{color: red, slots: [{name: b, size: 2}]}'))
        assert.deepEqual(
          (await owners('rack r')).map(({ manager, operation }) => [manager, operation]),
          [['kubectl', 'Apply']],
        )
      })

      test('reports errors of a configuration', async () => {
        await fails('apply --server-side --validate=false -f -', '.spec.colour: field not declared in schema', rack('{colour: red}'))
        await fails('apply --server-side --validate=ignore -f -', 'expected numeric', rack('{count: many}'))
      })

      test(
        'writes the status through the status subresource',
        { skip: minorOf(version) < 32 ? 'this kubectl cannot' : false },
        async () => {
          const status = 'apiVersion: apply.example/v1\nkind: Rack\nmetadata: {name: r}\nstatus: {phase: Up, count: 1}\n'
          await says('apply --server-side --subresource=status --field-manager=ctl -f -', 'serverside-applied', status)
          await says('get rack r -o jsonpath={.status.phase}{.spec.color}', 'Upred')
          const own = (await owners('rack r')).find(({ manager }) => manager === 'ctl')
          assert.deepEqual([own?.subresource, own?.fieldsV1], ['status', { 'f:status': { 'f:count': {}, 'f:phase': {} } }])
        },
      )

      test('records the manager of the scale subresource', async () => {
        await says('apply --server-side -f -', 'serverside-applied', rack('{color: red, count: 1, slots: [{name: b, size: 2}]}'))
        await says('scale rack r --replicas=3', 'scaled')
        const scaler = (await owners('rack r')).find(({ subresource }) => subresource === 'scale')
        assert.deepEqual([scaler?.operation, scaler?.fieldsV1], ['Update', { 'f:spec': { 'f:count': {} } }])
        await fails('apply --server-side -f -', '" with subresource "scale" using apply.example/v1', rack('{count: 5}'))
      })

      test('stores nothing in a dry run and in kubectl diff', async () => {
        const changed = rack('{color: black, slots: [{name: b, size: 2}]}')
        await says('apply --server-side --dry-run=server -f -', 'serverside-applied (server dry run)', changed)
        await fails('diff --server-side -f -', '+  color: black', changed)
        await says('get rack r -o jsonpath={.spec.color}', 'red')
        await fails('diff --server-side -f -', '+  k: two', configMap('{k: two}'))
        await fails('get cm c', 'NotFound')
      })

      test('migrates from client-side apply to server-side apply, and removes fields that the manifest no longer has', async () => {
        await says('apply -f -', 'deployment.apps/d created', deployment('replicas: 0', 'a:1'))
        await says('annotate deploy d note=mine', 'annotate')
        await says('apply --server-side -f -', 'serverside-applied', deployment('replicas: 0', 'a:2'))
        const all = await owners('deploy d')
        assert.equal(
          all.some(({ manager }) => manager === 'kubectl-client-side-apply'),
          false,
        )
        const own = all.find(({ manager, operation }) => manager === 'kubectl' && operation === 'Apply')
        assert.ok(JSON.stringify(own?.fieldsV1).includes('k:{\\"name\\":\\"main\\"}'))
        await says('get deploy d -o jsonpath={.spec.template.spec.containers[0].image}', 'a:2')
        await says('apply --server-side -f -', 'serverside-applied', deployment('paused: true', 'a:2'))
        await says('get deploy d -o jsonpath={.spec.paused}{.spec.replicas}{.metadata.annotations.note}', 'true1mine')
      })

      test('shows managedFields only on request', async () => {
        await says('apply --server-side -f -', 'serverside-applied', configMap('{k: one}'))
        const { output } = await kubectl('get cm c -o yaml')
        assert.equal(output.includes('managedFields'), false)
        assert.deepEqual(
          (await owners('cm c')).map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1]),
          [['kubectl', 'Apply', { 'f:data': { 'f:k': {} } }]],
        )
      })
    })
  }
})

function minorOf(version: string): number {
  return Number(version.split('.')[1])
}

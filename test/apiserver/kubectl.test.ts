import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { startTestApi, type TestApi } from '../support/api-server.ts'
import { effort } from '../support/effort.ts'
import { kubectlsUnderTest, oldestAndNewestKubectl, runCommand } from '../support/kubectl.ts'

// Every supported kubectl must work unmodified: versions differ in discovery, OpenAPI and protobuf.
const installed = effort === 'long' ? kubectlsUnderTest() : oldestAndNewestKubectl()

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.io}
spec:
  group: example.io
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wd]}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
      schema:
        openAPIV3Schema:
          type: object
          description: A thing to test with.
          properties:
            spec: {type: object, description: What is wanted., properties: {size: {type: integer, description: How large it is.}}}
            status: {type: object, properties: {phase: {type: string}}}
`
const manifests = (value: string, size: number): string => `
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
data: {k: ${value}}
---
apiVersion: example.io/v1
kind: Widget
metadata: {name: w}
spec: {size: ${size}}
`
const widget = (spec: string): string => `apiVersion: example.io/v1\nkind: Widget\nmetadata: {generateName: u-}\nspec: ${spec}\n`

interface Run {
  readonly code: number
  /** Both streams merged. */
  readonly output: string
}

suite('kubectl', { skip: installed.length === 0 ? 'no kubectl is installed' : false }, () => {
  let server: TestApi

  before(async () => {
    server = await startTestApi()
    const widgets = join(server.directory, 'widgets.yaml')
    await writeFile(widgets, definition)
    const [first] = installed
    assert.equal((await run(first?.path ?? '', ['apply', '-f', widgets])).code, 0)
  })
  after(() => server[Symbol.asyncDispose]())

  const environment = (path: string): string[] => [
    '--kubeconfig',
    server.kubeconfig,
    '--cache-dir',
    join(server.directory, path.replaceAll('/', '-')),
  ]
  const run = async (path: string, args: readonly string[], options: { input?: string; editor?: string } = {}): Promise<Run> => {
    const env = { ...process.env, ...(options.editor === undefined ? {} : { KUBE_EDITOR: options.editor }) }
    const { code, stdout, stderr } = await runCommand(path, [...environment(path), ...args], { env, input: options.input ?? '' })
    return { code, output: stdout + stderr }
  }

  for (const { version, path } of installed) {
    suite(version, () => {
      const namespace = `v${version.replace('.', '-')}`
      const kubectl = (args: string, options: { input?: string; editor?: string } = {}): Promise<Run> =>
        run(path, ['-n', namespace, ...args.split(' ')], options)
      const says = async (
        args: string,
        wanted: string,
        options: { input?: string; editor?: string; fails?: boolean } = {},
      ): Promise<void> => {
        const { code, output } = await kubectl(args, options)
        assert.equal(code === 0, options.fails !== true, `kubectl ${args}: ${output}`)
        assert.ok(output.includes(wanted), `kubectl ${args}: ${output}`)
      }

      test('creates', async () => {
        await says(`create ns ${namespace}`, 'created')
        await says('create cm a --from-literal=x=1', 'created')
        await says('create secret generic s --from-literal=p=q', 'created')
        await says('create sa bot', 'created')
        await says('create role r --verb=get,list --resource=configmaps', 'created')
        await says('create rolebinding rb --role=r --user=bob', 'created')
        await says('create cm dry --dry-run=server', 'created (server dry run)')
        await says('create -f -', 'created', { input: widget('{size: 1}') })
        await says('create -f -', 'unknown field "spec.sise"', { input: widget('{sise: 1}'), fails: true })
      })

      test('gets in all formats', async () => {
        await says('get cm,secret,sa', 'configmap/a')
        await says('get wd', 'SIZE')
        await says('get cm a -o wide', 'AGE')
        await says('get cm a -o yaml', 'x: "1"')
        await says('get cm a -o json', '"x": "1"')
        await says('get cm a -o jsonpath={.data.x}', '1')
        await says('get secret s -o jsonpath={.data.p}', 'cQ==')
        await says('get cm -A -o name', 'configmap/a')
        await says('get cm nothing', 'NotFound', { fails: true })
      })

      test('applies, and shows the diff', async () => {
        await says('apply -f -', 'configmap/b created', { input: manifests('one', 3) })
        await says('apply -f -', 'widget.example.io/w unchanged', { input: manifests('one', 3) })
        await says('diff -f -', '+  k: two', { input: manifests('two', 4), fails: true })
        await says('apply -f -', 'configured', { input: manifests('two', 4) })
        await says('get cm b -o jsonpath={.data.k}', 'two')
        await says('get wd w -o jsonpath={.spec.size}', '4')
      })

      test('describes and explains', async () => {
        await says('describe cm a', 'Name:')
        await says('describe wd w', 'Spec:')
        await says('explain widget.spec.size', 'How large it is')
        await says('explain widget --recursive', 'size')
        await says('explain cm --output plaintext', 'data')
      })

      test('changes', async () => {
        await says('label cm a l=1', 'labeled')
        await says('annotate wd w x=y', 'w annotate')
        await says('patch wd w --type=merge -p {"spec":{"size":9}}', 'patched')
        await says('patch cm a --type=json -p [{"op":"add","path":"/data/y","value":"2"}]', 'patched')
        await says('patch cm a -p {"data":{"z":"3"}}', 'patched')
        await says('get cm a -o jsonpath={.data}', '{"x":"1","y":"2","z":"3"}')
        await says('edit wd w', 'edited', { editor: 'sed -i s/size:.9/size:\\ 11/' })
        await says('get wd w -o jsonpath={.spec.size}', '11')
        const { output } = await kubectl('get cm a -o yaml')
        await says('replace -f -', 'replaced', { input: output.replace('x:', 'xx:') })
        await says('patch wd w --subresource=status --type=merge -p {"status":{"phase":"Up"}}', 'patched')
        await says('wait wd/w --for=jsonpath={.status.phase}=Up --timeout=5s', 'condition met')
      })

      test('watches', async () => {
        const child = spawn(path, [...environment(path), '-n', namespace, 'get', 'wd', 'w', '-w', '--output-watch-events'])
        let printed = ''
        const sees = async (wanted: string): Promise<void> => {
          for (let turn = 0; turn < 500 && !printed.includes(wanted); turn++) await new Promise((resolve) => setTimeout(resolve, 10))
          assert.ok(printed.includes(wanted), `${wanted} is missing in: ${printed}`)
        }
        child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
        try {
          await sees('ADDED')
          await says('patch wd w --type=merge -p {"spec":{"size":12}}', 'patched')
          await sees('MODIFIED')
          await says('delete wd w', 'deleted')
          await sees('DELETED')
        } finally {
          child.kill()
        }
      })

      test('checks rights', async () => {
        await says('auth can-i create pods', 'yes')
        await says('auth can-i list configmaps --as=bob', 'yes')
        await says('auth can-i delete configmaps --as=bob', 'no', { fails: true })
        await says('get secrets --as=bob', 'User "bob" cannot list resource "secrets"', { fails: true })
      })

      test('discovers API resources', async () => {
        await says('api-resources', 'widgets')
        await says('api-versions', 'example.io/v1')
        await says('version', 'v1.33.0+steadyvm')
        await says('get --raw /readyz?verbose', '[+]storage ok')
      })

      test('deletes', async () => {
        await says('delete cm --all', 'deleted')
        await says(`delete ns ${namespace} --wait=false`, 'deleted')
      })
    })
  }
})

// Takes half an hour: it compiles KubeVirt's functional tests and runs those of instance types.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { writeGuestImage } from '#features/guest-image.fixture.ts'
import { noKubectl } from '../support/kubectl.ts'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { buildProgram } from './oracle.ts'

const run = promisify(execFile)

/** Specs that need what is not here, as regular expressions of their texts. */
const needs: readonly (readonly [string, string])[] = [
  ['inference', 'CDI imports the volumes that name their instance type'],
  ['dedicatedCPU', 'nodes with a CPU manager'],
  ['plug extra resources', 'an Alpine guest with a console to log in on, and the DNS of the cluster'],
]
const filter = 'sig-compute-instancetype && !RequiresSnapshotStorageClass'

interface SpecReport {
  readonly State: string
  readonly LeafNodeType: string
  readonly LeafNodeText: string
  readonly ContainerHierarchyTexts: readonly string[] | null
  readonly Failure?: { readonly Message: string }
}

test("KubeVirt's functional tests of instance types pass", { skip: noKubectl, timeout: 3_600_000 }, async (t) => {
  const [suite, virtctl] = [
    await buildProgram('kubevirt', ['test', '-c'], './tests'),
    await buildProgram('kubevirt', ['build'], './cmd/virtctl'),
  ]
  if ('missing' in suite) return t.skip(suite.missing)
  if ('missing' in virtctl) return t.skip(virtctl.missing)
  await using program = suite
  await using client = virtctl
  await using machine = await startMachine({ nodes: 2 })
  await prepare(machine)
  const report = join(machine.home, 'report.json')
  const flags = [
    `-ginkgo.label-filter=${filter}`,
    `-ginkgo.skip=${needs.map(([pattern]) => pattern).join('|')}`,
    `-ginkgo.json-report=${report}`,
    '-ginkgo.no-color',
    '-installed-namespace=kubevirt',
    `-kubeconfig=${machine.kubeconfig}`,
    '-kubectl-path=kubectl',
    `-virtctl-path=${client.path}`,
    '-deploy-testing-infra=false',
    '-deploy-fake-kwok-nodes=false',
    `-config=${join(program.source, 'tests', 'default-config.json')}`,
    `--artifacts=${join(machine.home, 'artifacts')}`,
  ]
  // Fails when a spec does; the report says which.
  const { stdout } = await run(program.path, flags, { timeout: 3_000_000, maxBuffer: 1 << 28 }).catch((error: { stdout: string }) => error)
  const specs = (
    JSON.parse(await readFile(report, 'utf8').catch(() => assert.fail(stdout.slice(-4000)))) as [{ SpecReports: SpecReport[] }]
  )[0]
  const ran = specs.SpecReports.filter(({ State, LeafNodeType }) => LeafNodeType === 'It' && !['skipped', 'pending'].includes(State))
  const failed = ran.filter(({ State }) => State !== 'passed').map((spec) => `${titleOf(spec)}: ${spec.Failure?.Message ?? spec.State}`)
  t.diagnostic(`${ran.length - failed.length} of ${ran.length} specs passed`)
  assert.deepEqual(failed, [])
  assert.ok(ran.length > 50, `only ${ran.length} specs ran`)
})

function titleOf({ ContainerHierarchyTexts, LeafNodeText }: SpecReport): string {
  return [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ')
}

/** Gives the machine what the suite expects of its own clusters. */
async function prepare(machine: TestMachine): Promise<void> {
  const configuration = { developerConfiguration: { useEmulation: true } }
  await machine.kubectl([
    'patch',
    'kubevirt',
    'kubevirt',
    '-n',
    'kubevirt',
    '--type=merge',
    '-p',
    JSON.stringify({ spec: { configuration } }),
  ])
  for (const disk of ['alpine', 'cirros'])
    await machine.addImage(`quay.io/kubevirt/${disk}-container-disk-demo:latest`, (folder) => writeGuestImage(folder))
  const labels = { app: 'disks-images-provider' }
  const images = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: labels.app, namespace: 'kubevirt' },
    spec: {
      selector: { matchLabels: labels },
      // The suite looks for it, and the specs that run need none of its disks.
      template: { metadata: { labels }, spec: { nodeSelector: { none: 'none' }, containers: [{ name: 'none', image: 'none' }] } },
    },
  }
  await machine.kubectl(['create', '-f', '-'], JSON.stringify(images))
}

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { readGoldenFile, runStep } from '../apiserver/golden-file.ts'
import { newestKubectl, noKubectl, runCommand } from '../support/kubectl.ts'
import { eventually, repository } from '../support/machine.ts'
import { busyboxImage } from './components/node.ts'
import { execute } from './host/host.ts'
import { containerRuntimeClient } from './images.ts'
import { KubernetesCluster } from './kubernetes-cluster.ts'
import { foldersOf } from './settings.ts'

const work = await mkdtemp(join(tmpdir(), 'steadyvm-golden-'))
const cluster = new KubernetesCluster(foldersOf({ home: join(work, 'cluster') }), () => {})
const folder = join(repository, 'test/apiserver/golden')
const files = readdirSync(folder).filter((name) => name.endsWith('.golden'))
const { path: kubectl, version } = newestKubectl()

const ownManager = 'Secret.stringData is owned as data: docs/decisions/0011-apply-of-secret-string-data.md'
const ownHash = 'each controller may compute the hash of a template as it likes'

/**
 * Steps whose output differs here, with the cause. docs/compatibility.md has those that users of
 * machine mode meet.
 */
const differences: Readonly<Record<string, string>> = {
  'apply-corners.golden: apply -f config-changed.yaml --server-side --field-manager=third': ownManager,
  'apply.golden: apply -f config.yaml --server-side --field-manager=other': ownManager,
  'apply.golden: apply -f config-changed.yaml --server-side --field-manager=third': ownManager,
  'cluster.golden: api-resources --api-group=': 'machine mode has neither ComponentStatus nor the former way to bind pods',
  'cluster.golden: explain cm.data --output=plaintext-openapiv2': 'descriptions of fields are our own',
  'create.golden: create --raw /api/v1/namespaces/{ns}/configmaps -f raw-config.json': 'fields of JSON have no order',
  'describe.golden: describe podtemplates thing': 'Go writes the empty creationTimestamp of a template, as null',
  'pods.golden: debug talk --image=tools/shell:v1 --profile=general -c debugger': 'pods of machine mode have no ephemeral containers',
  'pods.golden: describe pod talk': 'another container runtime, whose kubelet records the start of containers as events',
  'workloads.golden: rollout history deploy/idle --revision=2': ownHash,
  'workloads.golden: rollout history deploy/idle --revision=1': ownHash,
}

// The golden files say what kube-apiserver prints. This holds them to the real one.
suite(
  'kubectl prints against kube-apiserver what the golden files say:',
  { skip: noKubectl === false ? cluster.obstacle : noKubectl },
  () => {
    before(async () => {
      await cluster.up({ nodes: 2 })
      for (const node of cluster.hosts)
        await execute(containerRuntimeClient(node, ['images', 'tag', busyboxImage, 'docker.io/tools/shell:v1']))
      await cluster.kubectl(['apply', '-f', join(folder, 'manifests', 'widgets-crd.yaml')])
      await cluster.kubectl(['wait', '--for=condition=Established', 'crd/gadgets.golden.example'])
    })
    after(async () => {
      await cluster.down({ data: true })
      await rm(work, { recursive: true, force: true })
    })

    for (const file of files) {
      const namespace = `golden-${version.replace('.', '-')}-${file.replace('.golden', '')}`
      suite(file, { concurrency: 1 }, () => {
        before(async () => {
          await cluster.kubectl(['create', 'namespace', namespace])
          const isReady = (): Promise<boolean> =>
            cluster.kubectl(['get', '-n', namespace, 'sa/default', 'cm/kube-root-ca.crt']).then(
              () => true,
              () => false,
            )
          // The first time, the controllers of the cluster have just started.
          await eventually(isReady, () => `namespace ${namespace} is not complete`)
        })
        for (const step of readGoldenFile(join(folder, file), { version, namespace })) {
          const cause = differences[`${file}: ${step.command.replaceAll(namespace, '{ns}')}`]
          test(step.command, async () => {
            const run = (args: readonly string[], env: Readonly<Record<string, string>>): ReturnType<typeof runCommand> => {
              const [program = '', ...words] = cluster.inNetwork([kubectl, ...args])
              return runCommand(program, words, { env: { ...cluster.environment, ...env }, cwd: join(folder, 'manifests') })
            }
            // kube-apiserver validates the fields of a schema in the random order of a map.
            const { difference } = await runStep(step, namespace, run, 'any order of causes')
            if (cause === undefined) assert.equal(difference, '')
            else assert.notEqual(difference, '', `no difference any more: ${cause}`)
          })
        }
      })
    }
  },
)

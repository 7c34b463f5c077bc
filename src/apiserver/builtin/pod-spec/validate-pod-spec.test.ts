import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Container } from '#api/core/v1/container.ts'
import type { PodSpec } from '#api/core/v1/pod.ts'
import { validateLabelValue, validateQualifiedName } from '#apimachinery/meta/name-rules.ts'
import { validatePodSpec } from './validate-pod-spec.ts'

const main: Container = { name: 'main', image: 'busybox' }
const of = (container: Partial<Container>): PodSpec => ({ containers: [{ ...main, ...container }] })

const faults: readonly (readonly [what: string, spec: PodSpec, ...messages: string[]])[] = [
  ['nothing to find', of({})],
  ['no container', { containers: [] }, 'spec.containers: Required value'],
  [
    'a container without name and image',
    of({ name: '', image: '' }),
    'spec.containers[0].name: Required value',
    'spec.containers[0].image: Required value',
  ],
  ['two containers of one name', { containers: [main, main] }, 'spec.containers[1].name: Duplicate value: "main"'],
  [
    'an init container of that name',
    { containers: [main], initContainers: [main] },
    'spec.initContainers[0].name: Duplicate value: "main"',
  ],
  [
    'an unknown pull policy',
    of({ imagePullPolicy: 'Sometimes' }),
    'spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
  ],
  [
    'a port out of range',
    of({ ports: [{ containerPort: 70_000 }] }),
    'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
  ],
  [
    'two ports of one name',
    of({
      ports: [
        { containerPort: 1, name: 'http' },
        { containerPort: 2, name: 'http' },
      ],
    }),
    'spec.containers[0].ports[1].name: Duplicate value: "http"',
  ],
  [
    'a mount of no volume',
    of({ volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
    'spec.containers[0].volumeMounts[0].name: Not found: "data"',
  ],
  [
    'two mounts at one path',
    {
      volumes: [{ name: 'data', emptyDir: {} }],
      containers: [
        {
          ...main,
          volumeMounts: [
            { name: 'data', mountPath: '/d' },
            { name: 'data', mountPath: '/d' },
          ],
        },
      ],
    },
    'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/d": must be unique',
  ],
  [
    'a volume of two types',
    { containers: [main], volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }] },
    'spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type',
  ],
  [
    'a request above the limit',
    of({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
    'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
  ],
  ['a probe of no kind', of({ livenessProbe: {} }), 'spec.containers[0].livenessProbe: Required value: must specify a handler type'],
  [
    'a liveness probe that must succeed twice',
    of({ livenessProbe: { tcpSocket: { port: 80 }, successThreshold: 2 } }),
    'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
  ],
  [
    'a probe of an init container',
    { containers: [main], initContainers: [{ ...main, name: 'init', readinessProbe: { exec: { command: ['x'] } } }] },
    'spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
  ],
  [
    'a variable with value and source',
    of({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
    'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
  ],
  [
    'a deadline of no time',
    { ...of({}), activeDeadlineSeconds: 0 },
    'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
  ],
  [
    'a toleration that says nothing',
    { ...of({}), tolerations: [{}] },
    'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
  ],
  ['a node by its labels', { ...of({}), nodeSelector: { 'kubernetes.io/hostname': 'n1', zone: '' } }],
  [
    'labels that no node can have',
    { ...of({}), nodeSelector: { 'bad key!': 'v v' } },
    `spec.nodeSelector: Invalid value: "bad key!": ${validateQualifiedName('bad key!')[0]}`,
    `spec.nodeSelector: Invalid value: "v v": ${validateLabelValue('v v')[0]}`,
  ],
]

suite('validatePodSpec() finds', () => {
  for (const [what, spec, ...messages] of faults) {
    test(what, () =>
      assert.deepEqual(
        validatePodSpec(spec, 'spec').map(({ field, message }) => `${field}: ${message}`),
        messages,
      ),
    )
  }
})

import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { labelsOf } from '../../names.ts'
import { accessOf, fieldOfPod, podSelector, restrictedContainer, tlsArguments, type Workload, type WorkloadPlace } from './workload.ts'

const name = 'kubevirt-aie-webhook'
const part = 'aie-webhook'
const secret = `${name}-tls`
const tlsFolder = '/tmp/k8s-webhook-server/serving-certs'
const annotation = 'hco.kubevirt.io/deployAIE'

/** Chooses other launcher images for guests with accelerated input and output. */
export const aieWebhook: Workload = {
  name: part,
  part,
  image: 'AIE_WEBHOOK_IMAGE',
  requestedBy: ({ input: { hyperconverged } }) =>
    hyperconverged.metadata.annotations?.[annotation] === 'true'
      ? { kind: 'user', field: `metadata.annotations[${annotation}]` }
      : undefined,
  objects: (place) => [
    ...accessOf(place, { account: name, role: name, binding: name }, [
      { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
    ]),
    // The administrator adds rules: only labels are kept.
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kubevirt-aie-launcher-config' },
      data: { 'config.yaml': 'rules:\n' },
    } as KubeObject,
    serviceOf(place),
    deploymentOf(place),
    webhookOf(place),
  ],
}

function serviceOf({ isOpenShift }: WorkloadPlace): KubeObject {
  const annotations = isOpenShift ? { annotations: { 'service.beta.openshift.io/serving-cert-secret-name': secret } } : {}
  const spec = { ports: [{ name: 'https', port: 443, targetPort: 9443, protocol: 'TCP' }], selector: podSelector(part) }
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, ...annotations }, spec } as KubeObject
}

function deploymentOf({ image, tls }: WorkloadPlace): KubeObject {
  const probe = (path: string): object => ({
    httpGet: { path, port: 8081, scheme: 'HTTP' },
    initialDelaySeconds: 5,
    periodSeconds: 10,
  })
  const podSpec = {
    serviceAccountName: name,
    containers: [
      {
        name: 'webhook',
        image,
        imagePullPolicy: 'IfNotPresent',
        args: [
          '--metrics-bind-address=:8443',
          '--metrics-secure=true',
          `--webhook-cert-path=${tlsFolder}`,
          `--metrics-cert-path=${tlsFolder}`,
          ...tlsArguments(tls, '--'),
        ],
        ports: [
          { name: 'https', containerPort: 9443, protocol: 'TCP' },
          { name: 'metrics', containerPort: 8443, protocol: 'TCP' },
          { name: 'health', containerPort: 8081, protocol: 'TCP' },
        ],
        env: [fieldOfPod('NAMESPACE', 'metadata.namespace')],
        livenessProbe: probe('/healthz'),
        readinessProbe: probe('/readyz'),
        resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '128Mi' } },
        securityContext: restrictedContainer,
        volumeMounts: [{ name: 'tls-cert', mountPath: tlsFolder, readOnly: true }],
      },
    ],
    volumes: [{ name: 'tls-cert', secret: { secretName: secret } }],
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: podSelector(part) },
      template: { metadata: { labels: labelsOf(part) }, spec: podSpec },
    },
  } as unknown as KubeObject
}

function webhookOf({ namespace, isOpenShift }: WorkloadPlace): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name, ...(isOpenShift ? { annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' } } : {}) },
    webhooks: [
      {
        name: 'virt-launcher-mutator.kubevirt.io',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        objectSelector: { matchLabels: { 'kubevirt.io': 'virt-launcher' } },
        clientConfig: { service: { name, namespace, path: '/mutate-pods', port: 443 } },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: 'Namespaced' }],
      },
    ],
  } as unknown as KubeObject
}

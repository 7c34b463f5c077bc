import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { labelsOf } from '../../names.ts'
import { accessOf, fieldOfPod, podSelector, restrictedContainer, tlsArguments, type Workload, type WorkloadPlace } from './workload.ts'

const name = 'virt-network-resources-injector'
const [account, service, secret, certificate, issuer] = [`${name}-sa`, `${name}-service`, `${name}-secret`, `${name}-cert`, 'selfsigned']
const tlsFolder = '/etc/tls'

/** Condition of HyperConverged: KubeVirt leaves the work to the injector while it is true. */
export const injectorReady = 'VirtNetworkResourcesInjectorReady'

/** Adds the resources of network attachments to launcher pods, which KubeVirt does otherwise. */
export const networkResourcesInjector: Workload = {
  name: 'network-resources-injector',
  part: name,
  image: 'NETWORK_RESOURCES_INJECTOR_IMAGE',
  requestedBy: (rendering) => {
    const field = 'deployment.deployNetworkResourcesInjector'
    return rendering.read(field) === false ? undefined : rendering.sourceOf(field)
  },
  obstacle: ({ isOpenShift, hasCertManager }) =>
    isOpenShift || hasCertManager ? undefined : 'cert-manager, which issues its certificate, is not installed',
  objects: (place) => [
    ...accessOf(place, { account, role: name, binding: `${name}-role-binding` }, [
      { apiGroups: ['k8s.cni.cncf.io'], resources: ['network-attachment-definitions'], verbs: ['watch', 'list', 'get'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['watch', 'list', 'get'] },
    ]),
    ...(place.isOpenShift ? [] : certificateOf(place)),
    serviceOf(place),
    disruptionBudget,
    deploymentOf(place),
    webhookOf(place),
  ],
}

function certificateOf({ namespace }: WorkloadPlace): readonly KubeObject[] {
  const apiVersion = 'cert-manager.io/v1'
  const spec = { secretName: secret, dnsNames: [`${service}.${namespace}.svc`], issuerRef: { name: issuer } }
  return [
    { apiVersion, kind: 'Issuer', metadata: { name: issuer }, spec: { selfSigned: {} } },
    { apiVersion, kind: 'Certificate', metadata: { name: certificate }, spec },
  ] as unknown as KubeObject[]
}

function serviceOf({ isOpenShift }: WorkloadPlace): KubeObject {
  const annotations = isOpenShift ? { annotations: { 'service.beta.openshift.io/serving-cert-secret-name': secret } } : {}
  const spec = { ports: [{ port: 443, targetPort: 6443, protocol: 'TCP' }], selector: podSelector(name) }
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: service, ...annotations }, spec } as KubeObject
}

const disruptionBudget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: `${name}-pdb` },
  spec: { minAvailable: 1, selector: { matchLabels: podSelector(name) } },
} as unknown as KubeObject

/** Nodes of the control plane are preferred, also those of a hosted one. */
const preferredNodes = [
  { weight: 100, key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' },
  { weight: 100, key: 'node-role.kubevirt.io/control-plane', operator: 'Exists' },
  { weight: 50, key: 'node-role.kubernetes.io/worker', operator: 'DoesNotExist' },
].map(({ weight, key, operator }) => ({ weight, preference: { matchExpressions: [{ key, operator }] } }))

function deploymentOf({ image, isHighlyAvailable, tls }: WorkloadPlace): KubeObject {
  const podSpec = {
    serviceAccountName: account,
    priorityClassName: 'system-cluster-critical',
    affinity: {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferredNodes },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            podAffinityTerm: {
              topologyKey: 'kubernetes.io/hostname',
              labelSelector: { matchExpressions: [{ key: 'app.kubernetes.io/component', operator: 'In', values: [name] }] },
            },
          },
        ],
      },
    },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [
      { key: 'CriticalAddonsOnly', operator: 'Exists' },
      { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' },
    ],
    securityContext: { runAsNonRoot: true },
    containers: [
      {
        name: 'webhook-server',
        image,
        imagePullPolicy: 'IfNotPresent',
        command: ['webhook'],
        args: [
          '-bind-address=0.0.0.0',
          '-port=6443',
          `-tls-private-key-file=${tlsFolder}/tls.key`,
          `-tls-cert-file=${tlsFolder}/tls.crt`,
          // Clients show no certificates: only the API server asks.
          '-insecure=true',
          '-logtostderr=true',
          '-alsologtostderr=true',
          ...tlsArguments(tls, '-'),
        ],
        env: [fieldOfPod('NAMESPACE', 'metadata.namespace')],
        resources: { requests: { cpu: '10m', memory: '50Mi' } },
        securityContext: restrictedContainer,
        terminationMessagePolicy: 'FallbackToLogsOnError',
        volumeMounts: [{ name: 'tls', mountPath: tlsFolder, readOnly: true }],
      },
    ],
    volumes: [{ name: 'tls', secret: { secretName: secret } }],
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: isHighlyAvailable ? 2 : 1,
      selector: { matchLabels: podSelector(name) },
      template: { metadata: { labels: labelsOf(name), annotations: { 'openshift.io/required-scc': 'restricted-v2' } }, spec: podSpec },
    },
  } as unknown as KubeObject
}

function webhookOf({ namespace, isOpenShift }: WorkloadPlace): KubeObject {
  const annotations = isOpenShift
    ? { 'service.beta.openshift.io/inject-cabundle': 'true' }
    : { 'cert-manager.io/inject-ca-from': `${namespace}/${certificate}` }
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: `${name}-config`, annotations },
    webhooks: [
      {
        name: `${name}-config.k8s.io`,
        admissionReviewVersions: ['v1', 'v1beta1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds: 10,
        matchPolicy: 'Equivalent',
        reinvocationPolicy: 'Never',
        objectSelector: { matchLabels: { 'kubevirt.io': 'virt-launcher' } },
        namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }] },
        clientConfig: { service: { name: service, namespace, path: '/mutate', port: 443 } },
        matchConditions: [
          {
            name: 'hasMultusAnnotation',
            expression: 'has(object.metadata.annotations) && "k8s.v1.cni.cncf.io/networks" in object.metadata.annotations',
          },
        ],
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' }],
      },
    ],
  } as unknown as KubeObject
}

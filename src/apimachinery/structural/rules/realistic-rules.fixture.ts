import type { StructuralSchema } from '../schema.ts'

const text = (maxLength: number, more: StructuralSchema = {}): StructuralSchema => ({ type: 'string', maxLength, ...more })
const name = text(253)
const integer: StructuralSchema = { type: 'integer' }
const boolean: StructuralSchema = { type: 'boolean' }
const object = (properties: Record<string, StructuralSchema>, required: string[] = []): StructuralSchema => ({
  type: 'object',
  properties,
  required,
})
const list = (maxItems: number, items: StructuralSchema): StructuralSchema => ({ type: 'array', maxItems, items })
const keyed = (maxItems: number, key: string, items: StructuralSchema): StructuralSchema => ({
  ...list(maxItems, items),
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': [key],
})
const amount: StructuralSchema = { 'x-kubernetes-int-or-string': true, maxLength: 30 }
const reference = object({ apiGroup: text(253), kind: text(63), name, namespace: text(63) })

/** A spec with fields that rules of virtual machines, images, gateways and operators use. */
export const realisticSpec: StructuralSchema = object({
  running: boolean,
  runStrategy: text(30),
  instancetype: object({ name, kind: text(63), revisionName: name, inferFromVolume: name }),
  source: object({
    pvc: reference,
    http: object({ url: text(2048), secretRef: name }),
    registry: object({ url: text(2048), imageStream: name }),
    blank: object({}),
    upload: object({}),
    snapshot: reference,
  }),
  storage: object({
    resources: object({ requests: { type: 'object', maxProperties: 10, additionalProperties: amount } }),
    accessModes: list(4, text(20)),
    volumeMode: text(20),
    storageClassName: name,
  }),
  pvc: object({ storageClassName: name }),
  disks: keyed(
    32,
    'name',
    object(
      {
        name: text(63),
        bootOrder: integer,
        size: amount,
        serial: text(256),
        disk: object({ bus: text(10) }),
        cdrom: object({ bus: text(10), readonly: boolean }),
      },
      ['name'],
    ),
  ),
  volumes: keyed(32, 'name', object({ name: text(63), claim: name }, ['name'])),
  interfaces: keyed(
    16,
    'name',
    object(
      {
        name: text(63),
        macAddress: text(17),
        bridge: object({}),
        masquerade: object({}),
        ports: list(16, object({ port: integer, protocol: text(4) })),
      },
      ['name'],
    ),
  ),
  cpu: object({ cores: integer, sockets: integer, threads: integer, maxSockets: integer, dedicated: boolean, model: text(63) }),
  memory: object({ guest: amount, maxGuest: amount, hugepages: text(10) }),
  evictionStrategy: text(40),
  duration: text(40, { format: 'duration' }),
  notBefore: text(40, { format: 'date-time' }),
  notAfter: text(40, { format: 'date-time' }),
  listeners: keyed(
    16,
    'name',
    object(
      {
        name: text(63),
        port: integer,
        protocol: text(10),
        hostname: text(253),
        tls: object({ mode: text(20), certificateRefs: list(8, reference) }),
      },
      ['name', 'port', 'protocol'],
    ),
  ),
  addresses: list(16, object({ type: text(253), value: text(253) })),
  rules: list(
    16,
    object({
      matches: list(8, object({ path: object({ type: text(30), value: text(1024) }), method: text(10) })),
      filters: list(
        16,
        object({
          type: text(40),
          requestRedirect: object({ path: object({ type: text(30) }) }),
          urlRewrite: object({ hostname: text(253) }),
        }),
      ),
      backendRefs: list(16, object({ name, port: integer, weight: integer, kind: text(63), group: text(253) })),
      timeouts: object({ request: text(20), backendRequest: text(20) }),
    }),
  ),
  minReplicas: integer,
  maxReplicas: integer,
  replicas: integer,
  schedule: text(100),
  version: text(40),
  labels: { type: 'object', maxProperties: 32, additionalProperties: text(63) },
  featureGates: list(64, text(63)),
  networks: list(8, text(50)),
  ip: text(45),
  endpoint: text(512),
  maxUnavailable: amount,
  targetRef: reference,
  mode: text(20),
  config: text(200, { 'x-kubernetes-validations': [] }),
})

/**
 * A rule on the spec, a spec that it accepts, and one that it refuses; with the previous spec of
 * each, for transition rules.
 */
export interface RealisticRule {
  readonly rule: string
  readonly good: object
  readonly bad: object
  readonly old?: object
}

/**
 * Rules as they are written for virtual machines (KubeVirt, CDI), gateways and
 * operators.
 */
export const realisticRules: readonly RealisticRule[] = [
  { rule: '!(has(self.running) && has(self.runStrategy))', good: { running: true }, bad: { running: true, runStrategy: 'Always' } },
  {
    rule: "!has(self.runStrategy) || self.runStrategy in ['Always', 'Halted', 'Manual', 'RerunOnFailure', 'Once']",
    good: { runStrategy: 'Once' },
    bad: { runStrategy: 'Sometimes' },
  },
  {
    rule: '!has(self.instancetype) || has(self.instancetype.name) != has(self.instancetype.inferFromVolume)',
    good: { instancetype: { name: 'a' } },
    bad: { instancetype: { name: 'a', inferFromVolume: 'b' } },
  },
  {
    rule: "!has(self.instancetype) || !has(self.instancetype.kind) || self.instancetype.kind.lowerAscii() in ['virtualmachineinstancetype', 'virtualmachineclusterinstancetype']",
    good: { instancetype: { kind: 'VirtualMachineInstancetype' } },
    bad: { instancetype: { kind: 'Pod' } },
  },
  {
    rule: 'self.instancetype.revisionName == oldSelf.instancetype.revisionName',
    good: { instancetype: { revisionName: 'a' } },
    bad: { instancetype: { revisionName: 'b' } },
    old: { instancetype: { revisionName: 'a' } },
  },
  {
    rule: '!has(self.source) || [has(self.source.pvc), has(self.source.http), has(self.source.registry), has(self.source.blank), has(self.source.upload), has(self.source.snapshot)].filter(x, x).size() == 1',
    good: { source: { blank: {} } },
    bad: { source: { blank: {}, upload: {} } },
  },
  {
    rule: "!has(self.source) || !has(self.source.http) || (isURL(self.source.http.url) && url(self.source.http.url).getScheme() in ['http', 'https'])",
    good: { source: { http: { url: 'https://a/b.qcow2' } } },
    bad: { source: { http: { url: 'ftp://a/b' } } },
  },
  {
    rule: '!has(self.source) || !has(self.source.registry) || (has(self.source.registry.url) != has(self.source.registry.imageStream))',
    good: { source: { registry: { url: 'docker://a' } } },
    bad: { source: { registry: {} } },
  },
  {
    rule: "!has(self.source) || !has(self.source.registry) || !has(self.source.registry.url) || self.source.registry.url.matches('^(docker|oci-archive)://.+')",
    good: { source: { registry: { url: 'docker://quay.io/a' } } },
    bad: { source: { registry: { url: 'quay.io/a' } } },
  },
  { rule: '!(has(self.storage) && has(self.pvc))', good: { pvc: {} }, bad: { pvc: {}, storage: {} } },
  {
    rule: '!has(self.storage) || !has(self.storage.resources) || !has(self.storage.resources.requests) || self.storage.resources.requests.all(k, isQuantity(string(self.storage.resources.requests[k])))',
    good: { storage: { resources: { requests: { storage: '1Gi', other: 5 } } } },
    bad: { storage: { resources: { requests: { storage: 'big' } } } },
  },
  {
    rule: "!has(self.storage) || !has(self.storage.resources) || self.storage.resources.?requests[?'storage'].optMap(q, q != '0').orValue(true)",
    good: { storage: { resources: { requests: { storage: '1Gi' } } } },
    bad: { storage: { resources: { requests: { storage: '0' } } } },
  },
  {
    rule: "!has(self.storage) || !has(self.storage.accessModes) || self.storage.accessModes.all(m, m in ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'])",
    good: { storage: { accessModes: ['ReadWriteOnce'] } },
    bad: { storage: { accessModes: ['Write'] } },
  },
  {
    rule: "!has(self.storage) || !has(self.storage.accessModes) || !('ReadWriteOncePod' in self.storage.accessModes) || self.storage.accessModes.size() == 1",
    good: { storage: { accessModes: ['ReadWriteOncePod'] } },
    bad: { storage: { accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] } },
  },
  {
    rule: '!has(oldSelf.storage) || self.storage == oldSelf.storage',
    good: { storage: { volumeMode: 'Block' } },
    bad: { storage: { volumeMode: 'Filesystem' } },
    old: { storage: { volumeMode: 'Block' } },
  },
  {
    rule: '!has(self.disks) || self.disks.all(d, has(d.disk) != has(d.cdrom))',
    good: { disks: [{ name: 'a', disk: {} }] },
    bad: { disks: [{ name: 'a' }] },
  },
  {
    rule: '!has(self.disks) || self.disks.filter(d, has(d.bootOrder)).all(d, self.disks.exists_one(e, has(e.bootOrder) && e.bootOrder == d.bootOrder))',
    good: {
      disks: [
        { name: 'a', bootOrder: 1 },
        { name: 'b', bootOrder: 2 },
      ],
    },
    bad: {
      disks: [
        { name: 'a', bootOrder: 1 },
        { name: 'b', bootOrder: 1 },
      ],
    },
  },
  {
    rule: '!has(self.disks) || self.disks.all(d, !has(d.bootOrder) || d.bootOrder > 0)',
    good: { disks: [{ name: 'a', bootOrder: 1 }] },
    bad: { disks: [{ name: 'a', bootOrder: 0 }] },
  },
  {
    rule: '!has(self.disks) || !has(self.volumes) || self.disks.all(d, self.volumes.exists(v, v.name == d.name))',
    good: { disks: [{ name: 'a' }], volumes: [{ name: 'a' }] },
    bad: { disks: [{ name: 'a' }], volumes: [{ name: 'b' }] },
  },
  {
    rule: "!has(self.disks) || self.disks.all(d, !has(d.disk) || !has(d.disk.bus) || d.disk.bus in ['virtio', 'sata', 'scsi', 'usb'])",
    good: { disks: [{ name: 'a', disk: { bus: 'sata' } }] },
    bad: { disks: [{ name: 'a', disk: { bus: 'ide' } }] },
  },
  {
    rule: "!has(self.disks) || self.disks.all(d, !has(d.cdrom) || d.?cdrom.?bus.orValue('sata') != 'virtio')",
    good: { disks: [{ name: 'a', cdrom: {} }] },
    bad: { disks: [{ name: 'a', cdrom: { bus: 'virtio' } }] },
  },
  {
    rule: "!has(self.disks) || self.disks.all(d, !has(d.serial) || d.serial.matches('^[A-Za-z0-9_.+-]+$'))",
    good: { disks: [{ name: 'a', serial: 'A-1' }] },
    bad: { disks: [{ name: 'a', serial: 'a b' }] },
  },
  {
    rule: '!has(self.disks) || self.disks.all(d, !has(d.size) || (type(d.size) == int ? d.size > 0 : sign(quantity(d.size)) > 0))',
    good: {
      disks: [
        { name: 'a', size: '1Gi' },
        { name: 'b', size: 5 },
      ],
    },
    bad: { disks: [{ name: 'a', size: '-1' }] },
  },
  {
    rule: '!has(oldSelf.disks) || !has(self.disks) || oldSelf.disks.all(o, self.disks.exists(d, d.name == o.name))',
    good: { disks: [{ name: 'a' }, { name: 'b' }] },
    bad: { disks: [{ name: 'b' }] },
    old: { disks: [{ name: 'a' }] },
  },
  {
    rule: '!has(self.disks) || self.disks.map(d, d.name).all(n, format.dns1123Label().validate(n).hasValue() == false)',
    good: { disks: [{ name: 'a-1' }] },
    bad: { disks: [{ name: 'A_1' }] },
  },
  {
    rule: '!has(self.interfaces) || self.interfaces.all(i, has(i.bridge) != has(i.masquerade))',
    good: { interfaces: [{ name: 'a', bridge: {} }] },
    bad: { interfaces: [{ name: 'a', bridge: {}, masquerade: {} }] },
  },
  {
    rule: "!has(self.interfaces) || self.interfaces.all(i, !has(i.macAddress) || i.macAddress.matches('^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$'))",
    good: { interfaces: [{ name: 'a', macAddress: '02:00:00:00:00:01' }] },
    bad: { interfaces: [{ name: 'a', macAddress: '02:00' }] },
  },
  {
    rule: '!has(self.interfaces) || self.interfaces.all(i, !has(i.ports) || i.ports.all(p, p.port >= 1 && p.port <= 65535))',
    good: { interfaces: [{ name: 'a', ports: [{ port: 80 }] }] },
    bad: { interfaces: [{ name: 'a', ports: [{ port: 0 }] }] },
  },
  {
    rule: '!has(self.interfaces) || self.interfaces.filter(i, has(i.masquerade)).size() <= 1',
    good: { interfaces: [{ name: 'a', masquerade: {} }] },
    bad: {
      interfaces: [
        { name: 'a', masquerade: {} },
        { name: 'b', masquerade: {} },
      ],
    },
  },
  {
    rule: '!has(self.cpu) || !has(self.cpu.maxSockets) || self.cpu.maxSockets >= self.?cpu.?sockets.orValue(1)',
    good: { cpu: { sockets: 1, maxSockets: 4 } },
    bad: { cpu: { sockets: 5, maxSockets: 4 } },
  },
  {
    rule: '!has(self.cpu) || self.?cpu.?cores.orValue(1) * self.?cpu.?sockets.orValue(1) * self.?cpu.?threads.orValue(1) <= 710',
    good: { cpu: { cores: 4 } },
    bad: { cpu: { cores: 100, sockets: 8 } },
  },
  {
    rule: '!self.?cpu.?dedicated.orValue(false) || has(self.cpu.cores)',
    good: { cpu: { dedicated: true, cores: 2 } },
    bad: { cpu: { dedicated: true } },
  },
  {
    rule: "!has(self.cpu) || !has(self.cpu.model) || !self.cpu.model.startsWith('host-') || self.cpu.model in ['host-model', 'host-passthrough']",
    good: { cpu: { model: 'host-model' } },
    bad: { cpu: { model: 'host-any' } },
  },
  {
    rule: '!has(self.memory) || !has(self.memory.maxGuest) || !has(self.memory.guest) || quantity(string(self.memory.guest)).compareTo(quantity(string(self.memory.maxGuest))) <= 0',
    good: { memory: { guest: '1Gi', maxGuest: '2Gi' } },
    bad: { memory: { guest: '4Gi', maxGuest: '2Gi' } },
  },
  {
    rule: "!has(self.memory) || !has(self.memory.hugepages) || self.memory.hugepages in ['2Mi', '1Gi']",
    good: { memory: { hugepages: '2Mi' } },
    bad: { memory: { hugepages: '4Mi' } },
  },
  {
    rule: "self.?evictionStrategy.orValue('None') in ['None', 'LiveMigrate', 'LiveMigrateIfPossible', 'External']",
    good: { evictionStrategy: 'External' },
    bad: { evictionStrategy: 'Now' },
  },
  {
    rule: "!has(self.duration) || (self.duration >= duration('1m') && self.duration <= duration('24h'))",
    good: { duration: '1h' },
    bad: { duration: '30s' },
  },
  {
    rule: '!has(self.notBefore) || !has(self.notAfter) || self.notBefore < self.notAfter',
    good: { notBefore: '2026-01-01T00:00:00Z', notAfter: '2026-01-02T00:00:00Z' },
    bad: { notBefore: '2026-01-02T00:00:00Z', notAfter: '2026-01-02T01:00:00+02:00' },
  },
  {
    rule: '!has(self.notAfter) || self.notAfter.getFullYear() < 2100',
    good: { notAfter: '2026-01-01T00:00:00Z' },
    bad: { notAfter: '2100-01-01T00:00:00Z' },
  },
  {
    rule: "!has(self.listeners) || self.listeners.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)",
    good: { listeners: [{ name: 'a', port: 80, protocol: 'HTTP' }] },
    bad: { listeners: [{ name: 'a', port: 80, protocol: 'HTTP', tls: {} }] },
  },
  {
    rule: "!has(self.listeners) || self.listeners.all(l, (l.protocol == 'HTTPS' && has(l.tls)) ? (!has(l.tls.mode) || l.tls.mode == 'Terminate') : true)",
    good: { listeners: [{ name: 'a', port: 443, protocol: 'HTTPS', tls: {} }] },
    bad: { listeners: [{ name: 'a', port: 443, protocol: 'HTTPS', tls: { mode: 'Passthrough' } }] },
  },
  {
    rule: '!has(self.listeners) || self.listeners.all(l1, self.listeners.exists_one(l2, l1.port == l2.port && l1.protocol == l2.protocol && (has(l1.hostname) && has(l2.hostname) ? l1.hostname == l2.hostname : !has(l1.hostname) && !has(l2.hostname))))',
    good: {
      listeners: [
        { name: 'a', port: 80, protocol: 'HTTP', hostname: 'a' },
        { name: 'b', port: 80, protocol: 'HTTP', hostname: 'b' },
      ],
    },
    bad: {
      listeners: [
        { name: 'a', port: 80, protocol: 'HTTP' },
        { name: 'b', port: 80, protocol: 'HTTP' },
      ],
    },
  },
  {
    rule: "!has(self.listeners) || self.listeners.all(l, !has(l.hostname) || !l.hostname.contains('*') || l.hostname.startsWith('*.'))",
    good: { listeners: [{ name: 'a', port: 1, protocol: 'TCP', hostname: '*.a' }] },
    bad: { listeners: [{ name: 'a', port: 1, protocol: 'TCP', hostname: 'a.*' }] },
  },
  {
    rule: "!has(self.listeners) || self.listeners.all(l, !has(l.tls) || l.?tls.?mode.orValue('Terminate') != 'Terminate' || size(l.?tls.?certificateRefs.orValue([])) > 0)",
    good: { listeners: [{ name: 'a', port: 1, protocol: 'TLS', tls: { certificateRefs: [{ name: 'c' }] } }] },
    bad: { listeners: [{ name: 'a', port: 1, protocol: 'TLS', tls: {} }] },
  },
  {
    rule: "!has(self.addresses) || self.addresses.all(a, a.?type.orValue('IPAddress') == 'IPAddress' ? isIP(a.value) : true)",
    good: { addresses: [{ value: '10.0.0.1' }, { type: 'Hostname', value: 'a' }] },
    bad: { addresses: [{ value: 'a' }] },
  },
  {
    rule: "!has(self.addresses) || self.addresses.all(a1, has(a1.type) && a1.type == 'IPAddress' ? self.addresses.exists_one(a2, has(a2.type) && a2.type == a1.type && a2.value == a1.value) : true)",
    good: { addresses: [{ type: 'IPAddress', value: '1.1.1.1' }] },
    bad: {
      addresses: [
        { type: 'IPAddress', value: '1.1.1.1' },
        { type: 'IPAddress', value: '1.1.1.1' },
      ],
    },
  },
  {
    rule: "!has(self.rules) || self.rules.all(r, !has(r.matches) || r.matches.all(m, !has(m.path) || m.path.value.startsWith('/')))",
    good: { rules: [{ matches: [{ path: { value: '/a' } }] }] },
    bad: { rules: [{ matches: [{ path: { value: 'a' } }] }] },
  },
  {
    rule: "!has(self.rules) || self.rules.all(r, !has(r.matches) || r.matches.all(m, !has(m.path) || (!m.path.value.contains('//') && !m.path.value.contains('/../') && !m.path.value.endsWith('/..'))))",
    good: { rules: [{ matches: [{ path: { value: '/a/b' } }] }] },
    bad: { rules: [{ matches: [{ path: { value: '/a/../b' } }] }] },
  },
  {
    rule: "!has(self.rules) || self.rules.all(r, !has(r.filters) || !(r.filters.exists(f, f.type == 'RequestRedirect') && r.filters.exists(f, f.type == 'URLRewrite')))",
    good: { rules: [{ filters: [{ type: 'URLRewrite' }] }] },
    bad: { rules: [{ filters: [{ type: 'URLRewrite' }, { type: 'RequestRedirect' }] }] },
  },
  {
    rule: '!has(self.rules) || self.rules.all(r, !has(r.backendRefs) || size(r.backendRefs) == 0 || !has(r.filters) || !r.filters.exists(f, has(f.requestRedirect)))',
    good: { rules: [{ backendRefs: [{ name: 'a' }] }] },
    bad: { rules: [{ backendRefs: [{ name: 'a' }], filters: [{ type: 'x', requestRedirect: {} }] }] },
  },
  {
    rule: '!has(self.rules) || self.rules.all(r, !has(r.backendRefs) || r.backendRefs.map(b, b.?weight.orValue(1)).sum() > 0)',
    good: { rules: [{ backendRefs: [{ name: 'a' }] }] },
    bad: { rules: [{ backendRefs: [{ name: 'a', weight: 0 }] }] },
  },
  {
    rule: '!has(self.rules) || self.rules.all(r, !has(r.timeouts) || !has(r.timeouts.request) || !has(r.timeouts.backendRequest) || duration(r.timeouts.backendRequest) <= duration(r.timeouts.request))',
    good: { rules: [{ timeouts: { request: '10s', backendRequest: '2s' } }] },
    bad: { rules: [{ timeouts: { request: '1s', backendRequest: '2s' } }] },
  },
  {
    rule: "!has(self.rules) || self.rules.all(r, !has(r.backendRefs) || r.backendRefs.all(b, b.?group.orValue('') != '' || b.?kind.orValue('Service') != 'Service' || has(b.port)))",
    good: { rules: [{ backendRefs: [{ name: 'a', port: 80 }] }] },
    bad: { rules: [{ backendRefs: [{ name: 'a' }] }] },
  },
  {
    rule: 'self.?minReplicas.orValue(0) <= self.?maxReplicas.orValue(2147483647)',
    good: { minReplicas: 1, maxReplicas: 3 },
    bad: { minReplicas: 4, maxReplicas: 3 },
  },
  { rule: 'self.replicas <= oldSelf.replicas + 10', good: { replicas: 12 }, bad: { replicas: 13 }, old: { replicas: 2 } },
  { rule: 'self.replicas % 2 == 1', good: { replicas: 3 }, bad: { replicas: 2 } },
  {
    rule: "!has(self.schedule) || self.schedule.split(' ').size() == 5 || self.schedule.startsWith('@')",
    good: { schedule: '0 * * * *' },
    bad: { schedule: 'daily' },
  },
  {
    rule: "!has(self.version) || isSemver(self.version) && semver(self.version).compareTo(semver('1.2.0')) >= 0",
    good: { version: '1.2.3' },
    bad: { version: '1.1.9' },
  },
  {
    rule: '!has(oldSelf.version) || semver(self.version).compareTo(semver(oldSelf.version)) >= 0',
    good: { version: '1.3.0' },
    bad: { version: '1.1.0' },
    old: { version: '1.2.0' },
  },
  {
    rule: '!has(self.labels) || self.labels.all(k, !format.qualifiedName().validate(k).hasValue() && !format.labelValue().validate(self.labels[k]).hasValue())',
    good: { labels: { 'a.b/c': 'd' } },
    bad: { labels: { 'a b': 'd' } },
  },
  {
    rule: "!has(self.labels) || self.labels.all(k, !k.startsWith('kubernetes.io/'))",
    good: { labels: { a: 'b' } },
    bad: { labels: { 'kubernetes.io/a': 'b' } },
  },
  {
    rule: "!has(self.labels) || self.labels.exists(k, v, k == 'team' && v != '')",
    good: { labels: { team: 'a' } },
    bad: { labels: { team: '' } },
  },
  {
    rule: '!has(self.featureGates) || !has(oldSelf.featureGates) || sets.contains(oldSelf.featureGates, self.featureGates)',
    good: { featureGates: ['a'] },
    bad: { featureGates: ['b'] },
    old: { featureGates: ['a', 'c'] },
  },
  {
    rule: '!has(self.featureGates) || self.featureGates.all(f, self.featureGates.exists_one(g, f == g))',
    good: { featureGates: ['a', 'b'] },
    bad: { featureGates: ['a', 'a'] },
  },
  {
    rule: '!has(self.featureGates) || self.featureGates.isSorted()',
    good: { featureGates: ['a', 'b'] },
    bad: { featureGates: ['b', 'a'] },
  },
  {
    rule: '!has(self.networks) || self.networks.all(n, isCIDR(n) && cidr(n) == cidr(n).masked())',
    good: { networks: ['10.0.0.0/8'] },
    bad: { networks: ['10.0.0.1/8'] },
  },
  {
    rule: '!has(self.networks) || self.networks.all(a, self.networks.all(b, a == b || !cidr(a).containsCIDR(b)))',
    good: { networks: ['10.0.0.0/16', '10.1.0.0/16'] },
    bad: { networks: ['10.0.0.0/8', '10.1.0.0/16'] },
  },
  {
    rule: '!has(self.ip) || !has(self.networks) || self.networks.exists(n, cidr(n).containsIP(self.ip))',
    good: { ip: '10.0.0.1', networks: ['10.0.0.0/8'] },
    bad: { ip: '11.0.0.1', networks: ['10.0.0.0/8'] },
  },
  {
    rule: "!has(self.endpoint) || (isURL(self.endpoint) && url(self.endpoint).getPort() != '' && !ip('127.0.0.1').isUnspecified())",
    good: { endpoint: 'https://a:6443' },
    bad: { endpoint: 'https://a' },
  },
  {
    rule: "!has(self.maxUnavailable) || (type(self.maxUnavailable) == int ? self.maxUnavailable >= 0 : self.maxUnavailable.matches('^(100|[1-9]?[0-9])%$'))",
    good: { maxUnavailable: '25%' },
    bad: { maxUnavailable: '125%' },
  },
  {
    rule: "!has(self.targetRef) || (self.targetRef.?apiGroup.orValue('') == 'kubevirt.io' && self.targetRef.kind == 'VirtualMachine')",
    good: { targetRef: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine' } },
    bad: { targetRef: { kind: 'Pod' } },
  },
  {
    rule: "!has(self.targetRef) || !has(self.targetRef.__namespace__) || self.targetRef.__namespace__ != ''",
    good: {},
    bad: { targetRef: { namespace: '' } },
  },
  {
    rule: "oldSelf.mode == self.mode || {'A': ['B'], 'B': ['A', 'C'], 'C': ['B']}[oldSelf.mode].exists(m, m == self.mode)",
    good: { mode: 'B' },
    bad: { mode: 'C' },
    old: { mode: 'A' },
  },
  {
    rule: "!has(self.config) || self.config.split('\\n').all(line, line == '' || line.startsWith('#') || line.indexOf('=') > 0)",
    good: { config: '# a\na=b\n' },
    bad: { config: 'a' },
  },
]

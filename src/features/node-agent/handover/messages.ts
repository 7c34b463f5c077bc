import protobuf, { type IMapField, type Type } from 'protobufjs'

/**
 * Messages of the Container Storage Interface 1 and of the kubelet's plugin registration, as far as
 * an ephemeral volume needs them. Fields and numbers are those of csi.proto and of the kubelet's
 * `pluginregistration/v1/api.proto`; unknown fields are skipped.
 */
const root = protobuf.Root.fromJSON({
  nested: {
    Empty: { fields: {} },
    BoolValue: { fields: { value: { type: 'bool', id: 1 } } },
    PluginInfo: {
      fields: {
        type: { type: 'string', id: 1 },
        name: { type: 'string', id: 2 },
        endpoint: { type: 'string', id: 3 },
        supportedVersions: { rule: 'repeated', type: 'string', id: 4 },
      },
    },
    RegistrationStatus: { fields: { pluginRegistered: { type: 'bool', id: 1 }, error: { type: 'string', id: 2 } } },
    GetPluginInfoResponse: { fields: { name: { type: 'string', id: 1 }, vendorVersion: { type: 'string', id: 2 } } },
    ProbeResponse: { fields: { ready: { type: 'BoolValue', id: 1 } } },
    NodeGetInfoResponse: { fields: { nodeId: { type: 'string', id: 1 } } },
    NodePublishVolumeRequest: {
      fields: {
        volumeId: { type: 'string', id: 1 },
        targetPath: { type: 'string', id: 4 },
        volumeContext: { keyType: 'string', type: 'string', id: 8 } as IMapField,
      },
    },
    NodeUnpublishVolumeRequest: { fields: { volumeId: { type: 'string', id: 1 }, targetPath: { type: 'string', id: 2 } } },
  },
})

/** Message types by name. */
export function messageType(name: string): Type {
  return root.lookupType(name)
}

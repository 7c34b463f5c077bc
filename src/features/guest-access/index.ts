/**
 * The contract between virt-api and the node agent for streams of guests: port, paths, names of the
 * certificates by which they authenticate each other, and the WebSocket subprotocol of clients;
 * and what guests use, as the node agent answers it.
 *
 * virt-api checks a request, authorizes it, and passes the bytes of both connections on; the node
 * agent (`#features/node-agent`) ends the WebSocket and connects the guest.
 */
export {
  accessPath,
  agentPort,
  agentServerName,
  apiClientName,
  freezeLimitParameter,
  parseAccessPath,
  plainProtocol,
  type AgentQuery,
  type GuestAccess,
  type GuestQuery,
  type GuestStream,
} from './agent-access.ts'
export type { DiskUsage, GuestMemoryUsage, InterfaceUsage, VirtualMachineInstanceUsage } from './guest-usage.ts'

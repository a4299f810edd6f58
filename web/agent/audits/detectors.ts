// The detectors alone, for engines without a page: the same code that judges a
// tab judges a HAR file.

export { auditCalls } from "./api/audit";
export type { ApiReport, AuditInput } from "./api/types";

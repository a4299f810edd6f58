export { FindingIds, shortHash } from "../finding-id";

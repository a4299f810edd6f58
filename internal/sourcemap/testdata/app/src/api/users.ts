import { request } from "./http";

export interface User {
  id: number;
  name: string;
}

export const getUser = (id: number): Promise<User> => request<User>(`/users/${id}`);

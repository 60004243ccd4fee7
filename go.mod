module nmu

go 1.26
